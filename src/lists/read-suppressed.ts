import { DossierError } from '../core/errors.ts';
import { cleanCell, isBlank } from '../core/identify/clean-cell.ts';
import {
  collectHashes,
  type HashedIdentifiers,
  suppressionKeys,
} from '../core/rules/suppression.ts';
import { guessProblem } from './input-row.ts';
import { openInput } from './open-input.ts';

/** The identifiers of suppression lists. A list that cannot be read whole is refused: it would leave people unprotected. */
export async function readSuppressed(paths: readonly string[], signal?: AbortSignal) {
  const values = collectHashes();
  const notes: string[] = [];
  for (const path of paths) notes.push(...(await readOne(path, values, signal)));
  const suppressed: readonly HashedIdentifiers[] = paths.length === 0 ? [] : [values.sorted()];
  return { suppressed, notes };
}

async function readOne(
  path: string,
  values: ReturnType<typeof collectHashes>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const fail = (why: string, cause?: unknown) =>
    new DossierError('SUPPRESS_UNREADABLE', `the suppression list ${path} ${why}`, { cause });
  let [identifiers, others, firstOther] = [0, 0, ''];
  try {
    await using input = await openInput(path, {}, signal && { signal });
    const { columns } = input;
    for await (const row of input.rows) {
      if (row.problem) throw fail(`cannot be read: ${row.problem}`);
      for (const [index, cell = ''] of row.cells.entries()) {
        if (isBlank(cleanCell(cell))) continue;
        const as = readingOf(columns[index] ?? '');
        const keys = cell.split(separators).flatMap((part) => suppressionKeys(part, as));
        const guess =
          keys.length > 0 && guessProblem(row, [{ index, as: 'auto' }], input.guessedEncoding());
        if (guess) throw fail(`cannot be read: ${guess}`);
        for (const key of keys) values.addKey(key);
        if (keys.length > 0) identifiers += 1;
        else if (others++ === 0) firstOther = `line ${row.line}, column ${columns[index]}`;
      }
    }
  } catch (error) {
    const isOurs = error instanceof DossierError && error.code !== 'SUPPRESS_UNREADABLE';
    throw isOurs ? fail(`cannot be read: ${error.message}`, error) : error;
  }
  if (identifiers === 0) throw fail('has no domain, ABN, network page, company id or person id');
  if (others === 0) return [];
  const cells =
    others === 1 ? '1 cell is not an identifier' : `${others} cells are not identifiers`;
  return [`${path}: ${cells}, so nothing is suppressed for them. First: ${firstOther}.`];
}

/** A cell of a list may name several companies. */
const separators = /[;|\n]|,\s/;

/** Ids have no form that tells them from other words, so their column has to be named. */
function readingOf(column: string) {
  const name = column.toLowerCase().replace(/[\s_-]/g, '');
  if (name === 'personid') return 'person';
  return name === 'companyid' ? 'id' : 'auto';
}
