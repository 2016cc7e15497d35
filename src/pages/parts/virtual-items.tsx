import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { virtualRange } from './virtual-list.ts';

interface VirtualItemsProps<Item> {
  readonly items: readonly Item[];
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly draw: (item: Item) => ComponentChildren;
}

/** As in the style sheet. */
const itemHeight = 36;

/** A list that scrolls, of which only what is in view is in the document, however long it is. */
export function VirtualItems<Item>({ items, label, keyOf, draw }: VirtualItemsProps<Item>) {
  const box = useRef<HTMLUListElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 400 });
  const look = () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setScroll({ top: scrollTop, height: clientHeight });
  };
  // Fewer items may end above the place that was scrolled to.
  useLayoutEffect(look, [items.length]);
  // A dialog or a fold shows the list a moment after it was drawn.
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    if (box.current) sizes.observe(box.current);
    return () => sizes.disconnect();
  }, []);
  const { first, end } = virtualRange(items.length, itemHeight, scroll);
  return (
    <ul class="virtual-items" ref={box} onScroll={look} aria-label={label}>
      <li aria-hidden="true" style={{ height: `${first * itemHeight}px` }} />
      {items.slice(first, end).map((item, at) => (
        <li
          key={keyOf(item)}
          class="virtual-item"
          aria-setsize={items.length}
          aria-posinset={first + at + 1}
        >
          {draw(item)}
        </li>
      ))}
      <li aria-hidden="true" style={{ height: `${(items.length - end) * itemHeight}px` }} />
    </ul>
  );
}
