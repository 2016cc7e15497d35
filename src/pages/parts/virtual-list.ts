export interface Scroll {
  readonly top: number;
  readonly height: number;
}

/** Indexes of the rows to draw. */
export interface VirtualRange {
  readonly first: number;
  /** Index after the last row. */
  readonly end: number;
}

/** Rows to draw above and below the visible ones, so that quick scrolling shows no blank space. */
const overscan = 6;

/** Which rows of a virtual list to draw at a scroll position. */
export function virtualRange(rows: number, rowHeight: number, scroll: Scroll): VirtualRange {
  const first = Math.max(0, Math.floor(scroll.top / rowHeight) - overscan);
  const end = Math.min(rows, Math.ceil((scroll.top + scroll.height) / rowHeight) + overscan);
  return { first: Math.min(first, Math.max(0, end)), end };
}
