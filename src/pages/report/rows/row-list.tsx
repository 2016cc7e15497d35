import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SampledRow } from '../../../report/data/report-data.ts';
import { counted } from '../../parts/text/format.ts';
import { usePrint } from '../../parts/use-print.ts';
import { type Scroll, virtualRange } from '../../parts/virtual-list.ts';
import { RowLine } from './row-line.tsx';

const columns = ['Row', 'Outcome', 'Input', 'Asked for', 'Company or reason'];
/** Heights in pixels as in the style sheet, where a narrow screen shows a row in three lines. */
const rowHeight = { wide: 44, narrow: 92 };
const narrow = '(max-width: 720px)';
const printedRows = 100;
/** Makes the scrolling list reachable by the keyboard. */
const focusable = { tabIndex: 0 };

/** A virtual list: only the rows on the screen are in the document, however many there are. */
export function RowList({ rows }: { readonly rows: readonly SampledRow[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState<Scroll>({ top: 0, height: 520 });
  const isPrinting = usePrint();
  const height = useRowHeight();
  const updateScroll = () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setScroll({ top: scrollTop, height: clientHeight });
  };
  useLayoutEffect(updateScroll, []);

  const { first, end } = isPrinting
    ? { first: 0, end: Math.min(rows.length, printedRows) }
    : virtualRange(rows.length, height, scroll);
  return (
    <>
      <section class="rows card" ref={box} onScroll={updateScroll} aria-label="Rows" {...focusable}>
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space rows={isPrinting ? 0 : first} height={height} />
            {rows.slice(first, end).map((row, index) => (
              <RowLine key={row.row} row={row} index={first + index + 2} />
            ))}
            <Space rows={isPrinting ? 0 : rows.length - end} height={height} />
          </tbody>
        </table>
      </section>
      {isPrinting && rows.length > end && (
        <p class="aside">{counted(rows.length - end, 'more row', 'more rows')} on the screen.</p>
      )}
    </>
  );
}

/** An empty row as high as the rows that are not drawn, so that the scroll bar stays right. */
function Space({ rows, height }: { readonly rows: number; readonly height: number }) {
  if (rows <= 0) return null;
  return (
    <tr class="space">
      <td colSpan={columns.length} style={{ height: `${rows * height}px` }} />
    </tr>
  );
}

function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => matchMedia(narrow).matches);
  useEffect(() => {
    const media = matchMedia(narrow);
    const update = () => setNarrow(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, []);
  return isNarrow ? rowHeight.narrow : rowHeight.wide;
}
