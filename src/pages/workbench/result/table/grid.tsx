import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TableColumn } from '../../../../workbench/api/rows.ts';
import type { Choice } from '../choice.ts';
import { type Mending, mendableIn } from '../mend/use-mending.ts';
import type { ChangeChoice } from '../use-choice.ts';
import {
  blockOf,
  type ChosenWidths,
  columnsInView,
  layOut,
  type PlacedColumn,
  withinLimits,
} from './column-layout.ts';
import { GridHead } from './grid-head.tsx';
import { type GridPlace, moveBy } from './grid-keys.ts';
import { cellId, GridRow, placeOfCell } from './grid-row.tsx';
import { showColumn } from './show-column.ts';
import { sortBy } from './sort-by.ts';
import { useCursor } from './use-cursor.ts';
import type { ShownRows } from './use-rows.ts';
import { useScroll } from './use-scroll.ts';

interface GridProps {
  readonly columns: readonly TableColumn[];
  readonly rows: ShownRows;
  readonly choice: Choice;
  readonly change: ChangeChoice;
  /** How many stay where they are when the table is scrolled sideways. */
  readonly pinnedColumns: number;
  /** Enter was pressed: the drawer of the row takes the keyboard. */
  readonly onEnter: () => void;
  /** The block of columns in view, of a list with very many. */
  readonly onBlock: (block: number) => void;
  readonly element: { current: HTMLTableElement | null };
  readonly mending: Mending;
  /** The table shows rejected rows: Enter and a click mend a cell, and do not open its row. */
  readonly isMending: boolean;
}

const widthSteps: Readonly<Record<string, number>> = { ArrowLeft: -24, ArrowRight: 24 };

/** All rows of the table, of which only those in view are drawn. */
export function Grid({
  columns,
  rows,
  choice,
  change,
  pinnedColumns,
  onEnter,
  onBlock,
  element,
  mending,
  isMending,
}: GridProps) {
  const { store } = rows;
  const total = store?.page?.total ?? 0;
  const [widths, setWidths] = useState<ChosenWidths>({});
  /** For those who do not see how wide a column is. */
  const [said, setSaid] = useState('');
  const scroll = useScroll(element, total);
  const { place, go } = useCursor({ rows, choice, change, show: scroll.show });
  const layout = useMemo(
    () => layOut(columns, widths, pinnedColumns),
    [columns, widths, pinnedColumns],
  );
  const inView = columnsInView(layout, scroll.view);
  const block = blockOf(inView);
  useEffect(() => onBlock(block), [block]);
  const { first, end } = scroll.range;
  const loaded = store?.page?.columns;
  const cellsAt = useMemo(() => new Map(loaded?.map(({ name }, at) => [name, at])), [loaded]);

  useEffect(() => store?.want(first, end), [store, first, end]);

  /** The row to open as soon as it is loaded, since the keyboard has gone there beside an open one. */
  const following = useRef<number>(undefined);
  const followed = following.current === undefined ? undefined : store?.rowAt(following.current);
  useEffect(() => {
    if (!followed) return;
    change({ row: followed.number, at: following.current ?? null }, { isStep: false });
    following.current = undefined;
  }, [followed]);

  const open = (index: number) => {
    const row = store?.rowAt(index);
    if (row) change({ row: row.number, at: index }, { isStep: choice.row === null });
  };
  /** Whether there is a cell to mend. */
  const mend = (at: GridPlace): boolean => {
    const row = store?.rowAt(at.row);
    const name = layout.columns[at.column - 1]?.column.name;
    const found = row && mendableIn(mending, row, (column) => column.name === name);
    if (!found) return false;
    mending.begin({ number: row.number, header: found.header, where: 'table' });
    return true;
  };
  const moveTo = (next: GridPlace) => {
    go(next);
    if (next.row >= 0) scroll.show(next.row);
    showColumn(element.current, layout, next.column);
    if (choice.row !== null && next.row >= 0 && next.row !== place.row)
      following.current = next.row;
  };
  const resize = ({ column: { name, label } }: PlacedColumn, wanted: number) => {
    const width = withinLimits(wanted);
    setWidths((before) => ({ ...before, [name]: width }));
    setSaid(`${label}: ${width} pixels wide`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if ((event.key === 'F2' || (event.key === 'Enter' && isMending)) && mend(place)) {
      event.preventDefault();
      return;
    }
    const headColumn = place.row === -1 ? layout.columns[place.column - 1] : undefined;
    const step = event.shiftKey ? widthSteps[event.key] : undefined;
    if (headColumn && step !== undefined) {
      event.preventDefault();
      resize(headColumn, headColumn.width + step);
      return;
    }
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (headColumn) sortBy(headColumn.column, choice, change);
      else if (place.row >= 0) {
        open(place.row);
        onEnter();
      }
      return;
    }
    const size = { rows: total, columns: columns.length + 1, page: scroll.rowsInView };
    const next = event.altKey ? undefined : moveBy(event, place, size);
    if (!next) return;
    event.preventDefault();
    moveTo(next);
  };

  const isDrawn =
    (place.row === -1 || (place.row >= first && place.row < end)) &&
    (place.column === 0 || inView.some(({ at }) => at === place.column));
  /** A table whose cells the keyboard moves over is a grid. */
  const semantics = {
    role: 'grid',
    tabIndex: 0,
    'aria-rowcount': total + 1,
    'aria-colcount': columns.length + 1,
    ...(isDrawn && total > 0 && { 'aria-activedescendant': cellId(place) }),
  } as const;
  const onClick = ({ target }: MouseEvent) => {
    const clicked = target instanceof Element ? target : null;
    const at = clicked && !clicked.closest('.grip, .mend-place') ? placeOfCell(clicked) : undefined;
    if (!at) return;
    go(at);
    const head = at.row === -1 ? layout.columns[at.column - 1] : undefined;
    if (head) sortBy(head.column, choice, change);
    if (at.row >= 0 && !(isMending && mend(at))) open(at.row);
  };
  const onDblClick = ({ target }: MouseEvent) => {
    const at = target instanceof Element ? placeOfCell(target) : undefined;
    if (at) mend(at);
  };
  return (
    <>
      <p class="unseen" role="status">
        {said}
      </p>
      <table
        ref={element}
        class="table"
        {...semantics}
        aria-label="Rows"
        aria-busy={rows.isLoading}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onDblClick={onDblClick}
      >
        <GridHead layout={layout} inView={inView} place={place} choice={choice} onResize={resize} />
        <tbody
          class="table-body"
          style={{ height: `${scroll.height}px`, width: `${layout.width}px` }}
        >
          {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
            <GridRow
              key={index}
              index={index}
              top={scroll.topOf(index)}
              row={store?.rowAt(index)}
              cellsAt={cellsAt}
              inView={inView}
              place={place.row === index ? place : undefined}
              openRow={choice.row}
              mending={mending}
              onMended={() => {
                mending.leave();
                element.current?.focus();
              }}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}
