import { columnPattern } from '../columns/column-pattern.ts';
import { type Column, positionOf } from '../columns/columns.ts';
import { companyColumns } from '../columns/company-columns.ts';
import { comparisonOf } from '../columns/comparison.ts';
import { peopleColumns } from '../columns/people-columns.ts';
import { rowColumns } from '../columns/row-columns.ts';

/** A column of which the cells of two records are compared. */
export type ComparedColumn = Pick<Column, 'name' | 'type'> & { readonly position: number };

/** The columns of a table that are compared: those that always are, and those that a pattern names. */
export function comparedColumns(
  columns: readonly Column[],
  include: readonly string[],
): ComparedColumn[] {
  const patterns = include.map(columnPattern);
  return columns
    .filter((column) => {
      const comparison = comparisonOf(column);
      if (comparison !== 'on_request') return comparison === 'always';
      return patterns.some((pattern) => pattern.test(column.name));
    })
    .map(({ name, type }) => ({ name, type, position: positionOf(columns, name) }));
}

/** Columns that `changes.include` may name; those of the input are known only with the list. */
export const includableColumns: readonly string[] = [
  ...new Set(
    [...rowColumns, ...companyColumns, ...peopleColumns]
      .filter((column) => comparisonOf(column) !== 'never')
      .map(({ name }) => name),
  ),
];

/** Whether a pattern of `changes.include` can name a column at all. */
export function canInclude(pattern: string): boolean {
  if (/^input_./.test(pattern)) return true;
  const columns = columnPattern(pattern);
  return includableColumns.some((name) => columns.test(name));
}
