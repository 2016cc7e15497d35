import { DossierError } from '../errors.ts';
import type { OpenInput } from './open-input.ts';

/** Finds a column that the command line names. */
export function findColumn(
  { name: input, columns }: Pick<OpenInput, 'name' | 'columns'>,
  wanted: string,
): { readonly index: number; readonly column: string } {
  const index = indexOfColumn(columns, wanted);
  const column = columns[index];
  if (column !== undefined) return { index, column };
  throw new DossierError(
    'COLUMN_UNKNOWN',
    `${input} has no column ${JSON.stringify(wanted)}; it has ${listedColumns(columns)}`,
  );
}

/** The column of this name; where there is none, one that differs only in capitals. -1 where neither is. */
export function indexOfColumn(columns: readonly string[], wanted: string): number {
  const exact = columns.indexOf(wanted);
  if (exact !== -1) return exact;
  const fold = (text: string) => text.trim().toLowerCase();
  return columns.findIndex((name) => fold(name) === fold(wanted));
}

export function listedColumns(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(', ') || 'none';
}
