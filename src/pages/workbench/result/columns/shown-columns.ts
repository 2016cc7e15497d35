import type { TableColumn, TableColumns } from '../../../../workbench/api/rows.ts';
import type { Choice } from '../choice.ts';

/**
 * The columns of the choice; names that this run does not have are left out. The outcome is second, beside
 * what the user knows a row by: after all cells of a wide list nobody would see it.
 */
export function shownColumns(
  { columns, presets }: TableColumns,
  choice: Choice,
): readonly TableColumn[] {
  const preset = presets.find(({ name }) => name === choice.preset) ?? presets[0];
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = (choice.columns ?? preset?.columns ?? []).flatMap((name) => byName.get(name) ?? []);
  const [first, ...others] = shown.length > 0 ? shown : columns;
  const outcome = others.filter(({ name }) => name === 'status');
  const rest = others.filter(({ name }) => name !== 'status');
  return first ? [first, ...outcome, ...rest] : [];
}
