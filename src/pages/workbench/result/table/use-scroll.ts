import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type VirtualRange, virtualRange } from '../../../parts/virtual-list.ts';
import { drawnHeight, placeAfter, placeAt, type ScrollPlace } from './scroll-scale.ts';

const rowHeight = 40;
const headHeight = 44;

interface View extends ScrollPlace {
  readonly left: number;
  readonly width: number;
  /** Height of the part of the element where rows are. */
  readonly height: number;
}

export interface TableScroll {
  readonly view: View;
  /** Rows to draw. */
  readonly range: VirtualRange;
  /** Height of the element that stands for all rows. */
  readonly height: number;
  /** Where a row is drawn in that element. */
  topOf(index: number): number;
  /** Scrolls as little as needed to bring a row into view. */
  show(index: number): void;
  /** Rows that fit into the view. */
  readonly rowsInView: number;
}

/** Follows the scrolling of a table of any length. */
export function useScroll(
  element: { readonly current: HTMLElement | null },
  rows: number,
): TableScroll {
  const [view, setView] = useState<View>(nowhere);
  const place = useRef<ScrollPlace>(nowhere);
  const total = rows * rowHeight;

  const look = useCallback(() => {
    const table = element.current;
    if (!table) return;
    const height = Math.max(0, table.clientHeight - headHeight);
    place.current = placeAfter(place.current, table.scrollTop, { total, view: height });
    setView({
      ...place.current,
      ...{ left: table.scrollLeft, width: table.clientWidth, height },
    });
  }, [total]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    const table = element.current;
    if (!table) return undefined;
    const sizes = new ResizeObserver(look);
    sizes.observe(table);
    table.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      table.removeEventListener('scroll', look);
    };
  }, [look]);

  return {
    view,
    range: virtualRange(rows, rowHeight, { top: view.offset, height: view.height }),
    height: drawnHeight(total),
    topOf: (index) => index * rowHeight - view.offset + view.top,
    show(index) {
      const table = element.current;
      if (!table) return;
      const height = Math.max(rowHeight, table.clientHeight - headHeight);
      const { offset } = place.current;
      const [start, end] = [index * rowHeight, (index + 1) * rowHeight];
      if (start >= offset && end <= offset + height) return;
      const wanted = start < offset ? start : end - height;
      place.current = placeAt(wanted, { total, view: height });
      table.scrollTop = place.current.top;
      look();
    },
    rowsInView: Math.max(1, Math.floor(view.height / rowHeight)),
  };
}

const nowhere: View = { top: 0, offset: 0, left: 0, width: 0, height: 0 };
