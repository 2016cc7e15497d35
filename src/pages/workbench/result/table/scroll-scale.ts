/** Browsers cut an element off at 17 to 33 million pixels, which is less than a million rows. */
const mostPixels = 15_000_000;

/** Where a table is scrolled to. */
export interface ScrollPlace {
  /** `scrollTop` of the element. */
  readonly top: number;
  /** Pixels of the table above the view, which are more than `top` where the table is too high. */
  readonly offset: number;
}

export interface ScrollSizes {
  /** Height of all rows. */
  readonly total: number;
  /** Height of the part that is in view. */
  readonly view: number;
}

/** The height of the element that stands for all rows. */
export function drawnHeight(total: number): number {
  return Math.min(total, mostPixels);
}

/** The place of a table of which so much is above the view. */
export function placeAt(offset: number, sizes: ScrollSizes): ScrollPlace {
  const { maxTop, maxOffset } = mostOf(sizes);
  const wanted = Math.min(Math.max(0, offset), maxOffset);
  return { top: maxOffset === 0 ? 0 : (wanted / maxOffset) * maxTop, offset: wanted };
}

/**
 * The place after the element was scrolled. A short scroll moves the rows as far as the element, so that
 * a wheel feels as everywhere; a long one, such as a drag of the bar, moves by the same share of the whole.
 */
export function placeAfter(before: ScrollPlace, top: number, sizes: ScrollSizes): ScrollPlace {
  const { maxTop, maxOffset } = mostOf(sizes);
  if (maxTop === maxOffset) return { top, offset: top };
  // The ends of the bar are the ends of the table, however it came there.
  if (top <= 0) return { top, offset: 0 };
  if (top >= maxTop - 1) return { top, offset: maxOffset };
  const moved = top - before.top;
  const offset = Math.abs(moved) <= sizes.view ? before.offset + moved : (top / maxTop) * maxOffset;
  return { top, offset: Math.min(Math.max(0, offset), maxOffset) };
}

function mostOf({ total, view }: ScrollSizes): { maxTop: number; maxOffset: number } {
  return { maxTop: Math.max(0, drawnHeight(total) - view), maxOffset: Math.max(0, total - view) };
}
