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

/** The columns to draw: those that are pinned or in view. A list may have very many. */
export function columnsInView(
  { columns }: ColumnLayout,
  view: { readonly left: number; readonly width: number },
): readonly PlacedColumn[] {
  const firstLoose = columns.findIndex(({ isPinned }) => !isPinned);
  if (firstLoose === -1) return columns;
  const from = firstAt(columns, ({ left, width }) => left + width >= view.left);
  const end = firstAt(columns, ({ left }) => left > view.left + view.width);
  return [...columns.slice(0, firstLoose), ...columns.slice(Math.max(firstLoose, from), end)];
}

/** The index of the first column from which on it is so. */
function firstAt(
  columns: readonly PlacedColumn[],
  isSo: (column: PlacedColumn) => boolean,
): number {
  let [low, high] = [0, columns.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const column = columns[middle];
    if (column && !isSo(column)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Columns in one request at least, so that not every step sideways asks again. */
const columnsAtOnce = 64;

/** The names of the columns whose cells are asked for: all of a usual list, of a wide one those about the view. */
export function wantedColumns(
  columns: readonly TableColumn[],
  pinned: number,
  block: number,
): readonly string[] {
  const wanted =
    columns.length <= 4 * columnsAtOnce
      ? columns
      : [
          ...columns.slice(0, pinned),
          ...columns.slice(
            Math.max(pinned, (block - 1) * columnsAtOnce),
            (block + 2) * columnsAtOnce,
          ),
        ];
  return wanted.map(({ name }) => name);
}

/** The block of columns that the view is in. */
export function blockOf(inView: readonly PlacedColumn[]): number {
  const middle = inView.filter(({ isPinned }) => !isPinned).at(0);
  return Math.floor(((middle?.at ?? 1) - 1) / columnsAtOnce);
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
