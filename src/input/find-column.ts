import { DossierError } from '../errors.ts';
import type { OpenInput } from './open-input.ts';

/** Finds a column that the command line names; capitals do not matter. */
export function findColumn(
  { name: input, columns }: Pick<OpenInput, 'name' | 'columns'>,
  wanted: string,
): { readonly index: number; readonly column: string } {
  const fold = (text: string) => text.trim().toLowerCase();
  const exact = columns.indexOf(wanted);
  const index = exact === -1 ? columns.findIndex((name) => fold(name) === fold(wanted)) : exact;
  const column = columns[index];
  if (column !== undefined) return { index, column };
  throw new DossierError(
    'COLUMN_UNKNOWN',
    `${input} has no column ${JSON.stringify(wanted)}; it has ${listedColumns(columns)}`,
  );
}

export function listedColumns(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(', ') || 'none';
}
