import type { TableColumn, TableColumns } from '../../../../workbench/api/rows.ts';
import type { Choice } from '../choice.ts';

type ColumnChoice = Pick<Choice, 'preset' | 'added' | 'removed'>;

/**
 * The columns of the choice; names that this run does not have are left out. The outcome is second, beside
 * what the user knows a row by: after all cells of a wide list nobody would see it.
 */
export function shownColumns(
  { columns, presets }: TableColumns,
  choice: ColumnChoice,
): readonly TableColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const shown = chosenNames({ columns, presets }, choice).flatMap((name) => byName.get(name) ?? []);
  const [first, ...others] = shown.length > 0 ? shown : columns;
  const outcome = others.filter(({ name }) => name === 'status');
  const rest = others.filter(({ name }) => name !== 'status');
  return first ? [first, ...outcome, ...rest] : [];
}

/** A preset in its own order; with columns more, in that of the table. */
function chosenNames(
  { columns, presets }: Pick<TableColumns, 'columns' | 'presets'>,
  { preset, added, removed }: ColumnChoice,
): readonly string[] {
  const named = (presets.find(({ name }) => name === preset) ?? presets[0])?.columns ?? [];
  const without = new Set(removed);
  const kept = named.filter((name) => !without.has(name));
  if (added.length === 0) return kept;
  const wanted = new Set([...kept, ...added]);
  return columns.map(({ name }) => name).filter((name) => wanted.has(name));
}

/** The choice with a column that was not shown, or without one that was. */
export function toggledColumn(
  { added, removed }: ColumnChoice,
  name: string,
  isShown: boolean,
): Pick<Choice, 'added' | 'removed'> {
  const without = (names: readonly string[]) => names.filter((one) => one !== name);
  if (isShown) {
    return added.includes(name)
      ? { added: without(added), removed }
      : { added, removed: [...removed, name] };
  }
  return removed.includes(name)
    ? { added, removed: without(removed) }
    : { added: [...added, name], removed };
}
