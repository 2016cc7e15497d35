import { rowNumberTitle } from '../../../parts/text/labels.ts';
import type { Choice } from '../choice.ts';
import { isNumeric } from './cell-text.ts';
import type { ColumnLayout, PlacedColumn } from './column-layout.ts';
import type { GridPlace } from './grid-keys.ts';
import { boxOf, cellId } from './grid-row.tsx';

interface GridHeadProps {
  readonly layout: ColumnLayout;
  readonly inView: readonly PlacedColumn[];
  readonly place: GridPlace;
  readonly choice: Choice;
  readonly onResize: (column: PlacedColumn, width: number) => void;
}

export function GridHead({ layout, inView, place, choice, onResize }: GridHeadProps) {
  const classAt = (column: number) => (place.row === -1 && place.column === column ? ' at' : '');
  return (
    <thead class="table-head" style={{ width: `${layout.width}px` }}>
      <tr class="line" aria-rowindex={1}>
        <th
          class={`cell number-cell${classAt(0)}`}
          scope="col"
          aria-colindex={1}
          id={cellId({ row: -1, column: 0 })}
          title={rowNumberTitle}
        >
          Row
        </th>
        {inView.map((placed) => {
          const { column, at } = placed;
          const sort = choice.sort === column.name ? direction(choice) : 'none';
          return (
            <th
              key={column.name}
              class={`cell head-cell${placed.isPinned ? ' pinned' : ''}${classAt(at)}`}
              scope="col"
              aria-colindex={at + 1}
              {...(column.isSortable && { 'aria-sort': sort })}
              id={cellId({ row: -1, column: at })}
              style={boxOf(placed)}
              title={column.about || column.label}
            >
              <span class={isNumeric(column.type) ? 'text end' : 'text'}>{column.label}</span>
              {sort !== 'none' && (
                <span aria-hidden="true">{sort === 'ascending' ? '↑' : '↓'}</span>
              )}
              <Grip width={placed.width} onResize={(width) => onResize(placed, width)} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function direction({ isDescending }: Choice): 'ascending' | 'descending' {
  return isDescending ? 'descending' : 'ascending';
}

interface GripProps {
  readonly width: number;
  readonly onResize: (width: number) => void;
}

/** The edge of a column, to be dragged. */
function Grip({ width, onResize }: GripProps) {
  const onPointerDown = (event: PointerEvent) => {
    const grip = event.currentTarget as HTMLElement;
    const from = event.clientX;
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = (moved) => onResize(width + moved.clientX - from);
    grip.onpointerup = () => {
      grip.onpointermove = null;
    };
    event.preventDefault();
  };
  return <span class="grip" aria-hidden="true" onPointerDown={onPointerDown} />;
}
