import type { TableRow } from '../../../../workbench/api/rows.ts';
import { count } from '../../../parts/text/format.ts';
import { isEditing, MendCell } from '../mend/mend-cell.tsx';
import type { Mending } from '../mend/use-mending.ts';
import { cellText, isNumeric } from './cell-text.ts';
import type { PlacedColumn } from './column-layout.ts';
import type { GridPlace } from './grid-keys.ts';
import { StatusMark } from './status-mark.tsx';

interface GridRowProps {
  /** In the table as it is sorted and narrowed, from 0. */
  readonly index: number;
  /** Where it is drawn. */
  readonly top: number;
  /** Undefined while it is loaded. */
  readonly row: TableRow | undefined;
  /** Where the cell of a column is in the row, by name. */
  readonly cellsAt: ReadonlyMap<string, number>;
  readonly inView: readonly PlacedColumn[];
  /** Where the keyboard is, if in this row. */
  readonly place: GridPlace | undefined;
  readonly openRow: number | null;
  readonly mending: Mending;
  readonly onMended: () => void;
}

export function GridRow(props: GridRowProps) {
  const { index, top, row, cellsAt, inView, place, openRow, mending, onMended } = props;
  const isOpen = row !== undefined && row.number === openRow;
  const classAt = (column: number) => (place?.column === column ? ' at' : '');
  return (
    <tr
      class={`line body-line${isOpen ? ' is-open' : ''}${isEditing(mending, row) ? ' is-mending' : ''}`}
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      style={{ transform: `translateY(${top}px)` }}
    >
      <th
        class={`cell number-cell${classAt(0)}`}
        scope="row"
        aria-colindex={1}
        id={cellId({ row: index, column: 0 })}
      >
        {row && (
          <>
            <span class={`dot fill-${row.status}`} aria-hidden="true" />
            {count(row.number)}
          </>
        )}
      </th>
      {inView.map((placed) => {
        const { at, column } = placed;
        const { name, type } = column;
        const cellAt = cellsAt.get(name);
        const isThere = row !== undefined && cellAt !== undefined;
        const text = isThere ? cellText(row.cells[cellAt] ?? null, type) : '';
        return (
          <td
            key={name}
            class={`cell${placed.isPinned ? ' pinned' : ''}${isNumeric(type) ? ' end' : ''}${classAt(at)}`}
            aria-colindex={at + 1}
            id={cellId({ row: index, column: at })}
            style={boxOf(placed)}
          >
            {!isThere && <span class="blank" />}
            {isThere && name === 'status' && <StatusMark row={row} />}
            {isThere && name !== 'status' && (
              <MendCell {...{ mending, row, name, text }} onDone={onMended} />
            )}
          </td>
        );
      })}
    </tr>
  );
}

export function cellId({ row, column }: GridPlace): string {
  return `cell-${row}-${column}`;
}

/** The place of the cell that an element lies in. */
export function placeOfCell(element: Element): GridPlace | undefined {
  const [, row, column] = /^cell-(-?\d+)-(\d+)$/.exec(element.closest('th, td')?.id ?? '') ?? [];
  return row === undefined ? undefined : { row: Number(row), column: Number(column) };
}

/** Pinned cells are in the flow of the row, so that they can stick; all others have a fixed place. */
export function boxOf({ isPinned, left, width }: PlacedColumn): Record<string, string> {
  return isPinned
    ? { width: `${width}px`, left: `${left}px` }
    : { width: `${width}px`, position: 'absolute', left: `${left}px` };
}
