/** The cell that the keyboard is at. Row -1 is the head; column 0 are the numbers of the rows. */
export interface GridPlace {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  /** With that of the row numbers. */
  readonly columns: number;
  /** How far PageDown goes. */
  readonly page: number;
}

export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Where a key moves to, as in any grid: Home and End within the row, with Ctrl within the table. */
export function moveBy(
  { key, ctrlKey, metaKey }: PressedKey,
  { row, column }: GridPlace,
  { rows, columns, page }: GridSize,
): GridPlace | undefined {
  const isFar = ctrlKey || metaKey;
  const at = (toRow: number, toColumn: number): GridPlace => ({
    row: Math.max(-1, Math.min(rows - 1, toRow)),
    column: Math.max(0, Math.min(columns - 1, toColumn)),
  });
  switch (key) {
    case 'ArrowDown':
      return at(isFar ? rows - 1 : row + 1, column);
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column);
    case 'ArrowRight':
      return at(row, isFar ? columns - 1 : column + 1);
    case 'ArrowLeft':
      return at(row, isFar ? 0 : column - 1);
    case 'PageDown':
      return at(row + page, column);
    case 'PageUp':
      return at(Math.max(0, row - page), column);
    case 'Home':
      return isFar ? at(0, 0) : at(row, 0);
    case 'End':
      return isFar ? at(rows - 1, columns - 1) : at(row, columns - 1);
    default:
      return undefined;
  }
}
