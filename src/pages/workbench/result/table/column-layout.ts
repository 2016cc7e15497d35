import type { TableColumn } from '../../../../workbench/api/rows.ts';
import { isNumeric } from './cell-text.ts';

export interface PlacedColumn {
  readonly column: TableColumn;
  /** Its place in the grid, from 1: the row numbers are at 0. */
  readonly at: number;
  /** From the left edge of the table. */
  readonly left: number;
  readonly width: number;
  /** It stays where it is when the table is scrolled sideways. */
  readonly isPinned: boolean;
}

export interface ColumnLayout {
  readonly columns: readonly PlacedColumn[];
  /** Of the whole table. */
  readonly width: number;
}

/** The column of row numbers is before all others. */
export const numberWidth = 72;
const narrowest = 64;
const widest = 720;

/** Widths that the user has chosen, by names of columns. */
export type ChosenWidths = Readonly<Record<string, number>>;

export function layOut(
  columns: readonly TableColumn[],
  chosen: ChosenWidths,
  pinned: number,
): ColumnLayout {
  let left = numberWidth;
  const placed = columns.map((column, index) => {
    const width = chosen[column.name] ?? usualWidth(column);
    const here = { column, at: index + 1, left, width, isPinned: index < pinned };
    left += width;
    return here;
  });
  return { columns: placed, width: left };
}

/** The columns to draw: those that are pinned or in view. A list may have thousands. */
export function columnsInView(
  { columns }: ColumnLayout,
  view: { readonly left: number; readonly width: number },
): readonly PlacedColumn[] {
  const right = view.left + view.width;
  return columns.filter(
    ({ isPinned, left, width }) => isPinned || (left + width >= view.left && left <= right),
  );
}

export function withinLimits(width: number): number {
  return Math.min(widest, Math.max(narrowest, Math.round(width)));
}

function usualWidth({ name, label, type }: TableColumn): number {
  if (name === 'status') return 232;
  const head = 48 + label.length * 8;
  if (isNumeric(type) || type === 'boolean') return withinLimits(Math.max(96, head));
  if (type === 'timestamp') return 176;
  return Math.min(280, Math.max(184, head));
}
