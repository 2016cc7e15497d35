import { type ColumnLayout, numberWidth } from './column-layout.ts';

/** Scrolls sideways as little as needed. */
export function showColumn(
  table: HTMLElement | null,
  { columns }: ColumnLayout,
  column: number,
): void {
  const placed = columns[column - 1];
  if (!table || placed?.isPinned) return;
  const pinned = columns.filter(({ isPinned }) => isPinned);
  const pinnedWidth = pinned.reduce((sum, { width }) => sum + width, numberWidth);
  const left = placed ? placed.left - pinnedWidth : 0;
  if (left < table.scrollLeft) table.scrollLeft = left;
  const right = placed ? placed.left + placed.width - table.clientWidth : 0;
  if (right > table.scrollLeft) table.scrollLeft = right;
}
