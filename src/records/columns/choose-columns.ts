import { columnPattern } from './column-pattern.ts';
import type { Column } from './columns.ts';
import { companyColumns } from './company-columns.ts';
import { peopleColumns } from './people-columns.ts';
import { columnPresets, isPreset, presetNames } from './presets.ts';
import { rowColumns } from './row-columns.ts';

/** Tables whose columns can be chosen. The others are for mending and for comparing, and stay whole. */
export type ChosenTable = 'companies' | 'people';

/**
 * Positions of the columns that `wanted` names, in its order: names, patterns and presets. Those of a
 * table of which nothing is named are all its columns.
 */
export function chooseColumns(
  table: ChosenTable,
  columns: readonly Pick<Column, 'name'>[],
  wanted: readonly string[],
): number[] {
  const patterns = wanted
    .flatMap((name) => (isPreset(name) ? columnPresets[name][table] : [name]))
    .map(columnPattern);
  const chosen = patterns.flatMap((pattern) =>
    [...columns.keys()].filter((position) => pattern.test(columns[position]?.name ?? '')),
  );
  return chosen.length === 0 ? [...columns.keys()] : [...new Set(chosen)];
}

/** What `output.columns` may name; the columns of the input are known only with the list. */
export const choosableColumns: readonly string[] = [
  ...presetNames,
  ...new Set([...rowColumns, ...companyColumns, ...peopleColumns].map(({ name }) => name)),
  'input_*',
];

/** Whether a name or pattern can choose a column at all. */
export function canChoose(wanted: string): boolean {
  if (isPreset(wanted) || /^input_./.test(wanted)) return true;
  const pattern = columnPattern(wanted);
  return choosableColumns.some((name) => !isPreset(name) && pattern.test(name));
}

/** Continues the word "expected". */
export const expectedColumn = `a column of companies or people, a pattern such as company_next_gen_* or input_*, or a preset (${presetNames.join(', ')})`;
