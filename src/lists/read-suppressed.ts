import { listKinds } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { cleanCell, isBlank } from '../core/identify/clean-cell.ts';
import {
  collectHashes,
  type Exclusions,
  type HashedIdentifiers,
  suppressionKeys,
  withService,
} from '../core/rules/suppression.ts';
import { identityForIds, serviceIdentity } from '../engine/providers/providers.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { holdMemory } from '../platform/memory.ts';
import { guessProblem, type InputRow } from './input-row.ts';
import { type OpenInput, openSheets } from './open-input.ts';
import { readSteady } from './read-steady.ts';

/** Throws if a suppression list is unreadable: skipping it would leave people unprotected. */
export async function readExclusions(
  { suppress, retain, services }: ResolvedJob,
  signal?: AbortSignal,
) {
  const byName = new Map(services.map((one) => [one.name, serviceIdentity(one)]));
  const ownKey = (key: string) => withService(key, byName, identityForIds(services));
  if (suppress.length > 0) holdMemory();
  const notes: string[] = [];
  const suppressed: HashedIdentifiers[] = [];
  for (const path of suppress) {
    await readSteady(path, async (confirm) => {
      const { addKey, sorted } = collectHashes();
      const found = await readIdentifierList(path, 'auto', (key) => addKey(ownKey(key)), signal);
      await confirm();
      notes.push(...found);
      suppressed.push(sorted());
    });
  }
  const exclusions: Exclusions = { suppressed, ...retain };
  return { exclusions, notes };
}

export async function readIdentifierList(
  path: string,
  as: Parameters<typeof suppressionKeys>[1],
  addKey: (key: string) => void,
  signal?: AbortSignal,
  /** Receives cells that are not identifiers, with their places. */
  unclear?: Map<string, string>,
): Promise<string[]> {
  const fail = (why: string, cause?: unknown) =>
    new DossierError('SUPPRESS_UNREADABLE', `the list of identifiers ${path} ${why}`, { cause });
  let [identifiers, others, firstOther] = [0, 0, ''];
  const readRow = (
    { columns, guessedEncoding }: OpenInput,
    row: InputRow,
    readings: readonly ReturnType<typeof readingOf>[],
  ) => {
    if (row.problem) throw fail(`cannot be read: ${row.problem}`);
    row.cells.forEach((cell = '', index) => {
      if (isBlank(cleanCell(cell))) return;
      const reading = readings[index] ?? as;
      const keys = cell.split(separators).flatMap((part) => suppressionKeys(part, reading));
      if (keys.length === 0) {
        const place = `line ${row.line}, column ${columns[index]}`;
        unclear?.set(cleanCell(cell), place);
        if (others++ === 0) firstOther = place;
        return;
      }
      const guess = guessProblem(row, [{ index, as: 'auto' }], guessedEncoding());
      if (guess) throw fail(`cannot be read: ${guess}`);
      keys.forEach(addKey);
      identifiers += 1;
    });
  };
  try {
    for await (const input of openSheets(path, signal)) {
      const { columns } = input;
      // If the list has no header, its first row may have become the column names.
      const first = columns.flatMap((name) => (readingOf(name) ? [] : suppressionKeys(name, as)));
      first.forEach(addKey);
      identifiers += first.length;
      for await (const rows of input.batches) {
        // Not before the loop, because later rows of JSONL may add columns.
        const readings = columns.map(readingOf);
        for (const row of rows) readRow(input, row, readings);
      }
    }
  } catch (error) {
    const isOurs = error instanceof DossierError && error.code !== 'SUPPRESS_UNREADABLE';
    throw isOurs ? fail(`cannot be read: ${error.message}`, error) : error;
  }
  if (identifiers === 0 && !unclear?.size)
    throw fail(`has no ${listKinds('or', '', 'company id', 'person id')}`);
  return others === 0 || unclear ? [] : [otherCells(path, others, firstOther)];
}

export function otherCells(path: string, count: number, first: string): string {
  const cells = count === 1 ? '1 cell is not an identifier' : `${count} cells are not identifiers`;
  return `${path}: ${cells}. First: ${first}.`;
}

const separators = /[;|\n]|,\s/;

/** Ids look like ordinary words, so they are read only from columns with these names. */
function readingOf(column: string) {
  const name = column.toLowerCase().replace(/[\s_-]/g, '');
  if (name === 'personid') return 'person';
  return name === 'companyid' ? 'id' : undefined;
}
