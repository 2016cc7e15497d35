import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InputRow } from '../../src/lists/input-row.ts';
import { type InputOptions, type OpenInput, openInput } from '../../src/lists/open-input.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Writes the content to a real file and reads it as a list. */
export async function readBack(
  content: string | Buffer,
  options: InputOptions & { fileName?: string } = {},
): Promise<{
  columns: readonly string[];
  hasHeader: boolean;
  sheet: OpenInput['sheet'];
  rows: InputRow[];
  /** The cells without the other facts of the rows. */
  cells: (readonly (string | undefined)[])[];
  problems: (string | undefined)[];
  notes: readonly string[];
}> {
  using folder = temporaryFolder();
  const path = join(folder.path, options.fileName ?? 'list.csv');
  writeFileSync(path, content);
  const input = await openInput(path, options);
  const rows = await Array.fromAsync(input.rows);
  return {
    columns: [...input.columns],
    hasHeader: input.hasHeader,
    sheet: input.sheet,
    rows,
    cells: rows.map((row) => row.cells),
    problems: rows.map((row) => row.problem),
    notes: input.notes(),
  };
}
