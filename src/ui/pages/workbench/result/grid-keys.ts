/** Row -1 is the header; column 0 has the row numbers. */
export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

/** `turn` is 1 for the next page and -1 for the previous one. */
export function moveBy(
  { key, ctrlKey, metaKey }: { key: string; ctrlKey: boolean; metaKey: boolean },
  { row, column }: GridPosition,
  /** `columns` includes the row numbers. */
  { rows, columns }: { rows: number; columns: number },
) {
  const isFar = ctrlKey || metaKey;
  const at = (toRow: number, toColumn: number) => ({
    row: Math.max(-1, Math.min(rows - 1, toRow)),
    column: Math.max(0, Math.min(columns - 1, toColumn)),
    turn: 0,
  });
  switch (key) {
    case 'ArrowDown':
      if (!isFar && row === rows - 1) return { row: 0, column, turn: 1 };
      return at(isFar ? rows - 1 : row + 1, column);
    case 'ArrowUp':
      return at(isFar ? 0 : row - 1, column);
    case 'ArrowRight':
      return at(row, isFar ? columns - 1 : column + 1);
    case 'ArrowLeft':
      return at(row, isFar ? 0 : column - 1);
    case 'PageDown':
      return { row: 0, column, turn: 1 };
    case 'PageUp':
      return { row: 0, column, turn: -1 };
    case 'Home':
      return isFar ? at(0, 0) : at(row, 0);
    case 'End':
      return isFar ? at(rows - 1, columns - 1) : at(row, columns - 1);
    default:
      return undefined;
  }
}
