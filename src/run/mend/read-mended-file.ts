import { DossierError } from '../../errors.ts';
import { indexOfColumn, listedColumns } from '../../input/find-column.ts';
import type { InputRow } from '../../input/input-row.ts';
import { type OpenInput, openInput } from '../../input/open-input.ts';

/** A row of a rejects file that somebody has mended. */
export interface GivenRow extends Pick<InputRow, 'cells' | 'line' | 'problem'> {
  readonly key: string;
}

/** A mended file. Corrections are made by hand, so it fits into memory. */
export interface MendedFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly GivenRow[];
  readonly withoutKey: number;
  /** The encoding that was guessed, if any. */
  readonly encoding: string | undefined;
  /** What was guessed to read it. */
  readonly notes: readonly string[];
}

/**
 * A file that is sorted, cut down or saved by a spreadsheet is the same file: its rows are known by the key
 * alone. Where the list has a `row_key` itself, ours is `row_key_2`.
 */
export async function readMendedFile(path: string, signal?: AbortSignal): Promise<MendedFile> {
  await using input = await openRejects(path, signal);
  const rows: GivenRow[] = [];
  let withoutKey = 0;
  for await (const { cells, line, problem } of input.rows) {
    const place = keyColumn(input.columns);
    const key = cells[place]?.trim() ?? '';
    if (key === '') withoutKey += 1;
    else rows.push({ key, cells, line, ...(problem !== undefined && { problem }) });
  }
  if (keyColumn(input.columns) === -1) {
    throw new DossierError(
      'MENDED_UNUSABLE',
      `${input.name} has no column "row_key", by which its rows are found; it has ${listedColumns(input.columns)}`,
    );
  }
  const { name, columns } = input;
  const encoding = input.guessedEncoding();
  return { name, columns: [...columns], rows, withoutKey, encoding, notes: input.notes() };
}

/** Of a workbook with a result, the rejects are on a sheet of their own. */
async function openRejects(path: string, signal: AbortSignal | undefined): Promise<OpenInput> {
  const first = await openInput(path, {}, { signal });
  if (!first.sheet?.others.includes(rejectsSheet)) return first;
  await first[Symbol.asyncDispose]();
  return await openInput(path, { sheet: rejectsSheet }, { signal });
}

const rejectsSheet = 'Rejects';

function keyColumn(columns: readonly string[]): number {
  const second = indexOfColumn(columns, 'row_key_2');
  return second === -1 ? indexOfColumn(columns, 'row_key') : second;
}
