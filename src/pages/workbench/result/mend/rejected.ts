import type { Facets, TableColumn } from '../../../../workbench/api/rows.ts';
import type { Choice } from '../choice.ts';
import type { Mending } from './use-mending.ts';

/** Rows without a company that another cell might find. */
export const rejected = ['invalid', 'not_found'];

/** Whether the table shows nothing but rejected rows, so that its cells are there to be mended. */
export function isOfRejected({ facets }: Pick<Choice, 'facets'>): boolean {
  const { status = [] } = facets;
  return status.length > 0 && status.every((value) => rejected.includes(value));
}

export function countRejected(facets: Facets | undefined): number {
  const values = facets?.facets.find(({ name }) => name === 'status')?.values ?? [];
  return values
    .filter(({ value }) => rejected.includes(value))
    .reduce((sum, { count }) => sum + count, 0);
}

/** The columns that can be mended come first, whether the user has chosen them or not. */
export function mendableFirst(
  shown: readonly TableColumn[],
  all: readonly TableColumn[],
  { mended }: Mending,
  { isWide }: { readonly isWide: boolean },
): readonly TableColumn[] {
  const names = new Set(mended.columns.map(({ name }) => name));
  if (names.size === 0) return shown;
  const mendable = all.filter(({ name }) => names.has(name));
  const others = shown.filter(({ name }) => !names.has(name));
  // What the user knows a row by and its outcome stay where they are, while there is room for them.
  const kept = isWide ? 2 : 0;
  // The rest of the list says what a cell should be; nothing was found for these rows.
  const rest = others.slice(kept);
  return [
    ...[...others.slice(0, kept), ...mendable],
    ...[...rest.filter(({ isOfList }) => isOfList), ...rest.filter(({ isOfList }) => !isOfList)],
  ];
}
