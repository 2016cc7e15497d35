export interface Scroll {
  readonly top: number;
  readonly height: number;
}

export interface VisibleRows {
  readonly first: number;
  /** One after the last. */
  readonly end: number;
}

/** A few more than can be seen, so that a quick hand does not scroll into the void. */
const overscan = 6;

/** Which rows of a long list to draw. */
export function visibleRows(rows: number, rowHeight: number, scroll: Scroll): VisibleRows {
  const first = Math.max(0, Math.floor(scroll.top / rowHeight) - overscan);
  const end = Math.min(rows, Math.ceil((scroll.top + scroll.height) / rowHeight) + overscan);
  return { first: Math.min(first, Math.max(0, end)), end };
}
