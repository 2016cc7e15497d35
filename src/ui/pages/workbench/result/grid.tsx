import { useEffect, useState } from 'preact/hooks';
import { formatMinute, formatNumber } from '../../../../core/runtime/format.ts';
import type { RowsPage, TableColumn, TableRow } from '../../../workbench/api.ts';
import { reasonName, rowNumberTitle, statusNames } from '../../parts/labels.ts';
import { cellText } from './cell-text.ts';
import type { Choice } from './choice.ts';
import { FixInput } from './fix-input.tsx';
import { type GridPosition, moveBy } from './grid-keys.ts';
import { changeChoice as change, sortBy } from './use-choice.ts';

import {
  type Correction,
  cellKey,
  correctionOf,
  type EditedCell,
  type Fixing,
  fixableIn,
  wasWords,
} from './use-fixing.ts';

/** One tab stop; arrow keys move within the table. */
export function Grid(props: {
  label: string;
  columns: readonly TableColumn[];
  page: RowsPage | undefined;
  isLoading: boolean;
  choice: Choice;
  onFocusPanel: () => void;
  element: { current: HTMLTableElement | null };
  fixing: Fixing;
}) {
  const { label, columns, page, isLoading, choice, onFocusPanel, element, fixing } = props;
  const rows = page?.rows ?? [];
  const [position, setPosition] = useState<GridPosition>({ row: 0, column: 0 });
  const { search, facets, sort, isDescending } = choice;
  const shown = JSON.stringify([search, facets, sort, isDescending, choice.page, choice.size]);
  useEffect(() => {
    // Sorting by keyboard keeps the position in the header.
    setPosition((before) => (before.row === -1 ? before : { ...before, row: 0 }));
    element.current?.parentElement?.scrollTo({ top: 0 });
  }, [shown]);
  useEffect(() => {
    document
      .getElementById(cellId(position))
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [position]);
  const { editing } = fixing;
  useEffect(() => {
    const row = rows.findIndex(({ number }) => number === editing?.number);
    if (row !== -1) setPosition((before) => ({ ...before, row }));
  }, [editing?.number, page]);

  const open = (index: number, isStep = choice.row === null) => {
    const row = rows[index];
    if (row) change({ row: row.number }, isStep);
  };
  const fixableAt = (at: GridPosition): EditedCell | undefined => {
    const row = rows[at.row];
    const name = columns[at.column - 1]?.name;
    const found = row && fixableIn(fixing, row, name);
    return found && { number: row.number, header: found.header };
  };
  const activate = (at: GridPosition, isKey: boolean) => {
    const head = at.row === -1 ? columns[at.column - 1] : undefined;
    const cell = fixableAt(at);
    if (head) sortBy(head, choice);
    else if (cell) fixing.begin(cell);
    else if (at.row >= 0) {
      open(at.row);
      if (isKey) onFocusPanel();
    }
  };
  const press = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const row = rows[position.row];
    if (key === ' ' && fixing.isOn && row) {
      fixing.toggle(row.number, event.shiftKey);
      return true;
    }
    // A click leaves the focus in the table, so Escape must close the row here.
    if (key === 'Escape' && choice.row !== null) {
      change({ row: null });
      return true;
    }
    if (key === 'Enter' || key === 'F2' || key === ' ') {
      activate(position, true);
      return true;
    }
    const cell = fixableAt(position);
    if (cell && key.length === 1 && !ctrlKey && !metaKey && !altKey) {
      fixing.begin({ ...cell, text: key });
      return true;
    }
    const size = { rows: rows.length, columns: columns.length + 1 };
    const next = altKey ? undefined : moveBy(event, position, size);
    if (!next) return false;
    const { turn, ...to } = next;
    const wanted = choice.page + turn;
    const pages = Math.ceil((page?.total ?? 0) / choice.size);
    if (turn !== 0 && wanted >= 1 && wanted <= pages) change({ page: wanted });
    if (turn !== 0) return true;
    setPosition(to);
    if (choice.row !== null && to.row >= 0) open(to.row, false);
    return true;
  };
  const onClick = ({ target }: MouseEvent) => {
    if (!(target instanceof Element) || target.closest('.fix-cell, input')) return;
    const cell = target.closest<HTMLTableCellElement>('th, td');
    const line = target.closest('tr');
    if (!cell || !line) return;
    const at = { row: line.rowIndex - 1, column: cell.cellIndex };
    setPosition(at);
    activate(at, false);
  };
  const onPaste = (event: ClipboardEvent) => {
    const cell = event.target === event.currentTarget ? fixableAt(position) : undefined;
    if (!cell) return;
    event.preventDefault();
    fixing.fill(fixing.cellsBelow(cell, event.clipboardData?.getData('text/plain') ?? ''));
  };
  const cellProps = (row: number, at: number) => {
    const { type } = columns[at - 1] ?? {};
    const classes = [
      at === 1 && 'pinned',
      (type === 'integer' || type === 'decimal') && 'number',
      position.row === row && position.column === at && 'at',
    ];
    return { id: cellId({ row, column: at }), class: classes.filter(Boolean).join(' ') };
  };
  const headCell = (column: TableColumn, at: number) => {
    const isSorted = sort === column.name;
    const order = isDescending ? 'descending' : 'ascending';
    return (
      <th
        key={column.name}
        {...cellProps(-1, at)}
        scope="col"
        aria-sort={column.isSortable ? (isSorted ? order : 'none') : undefined}
        title={column.about || column.label}
      >
        {column.label}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </th>
    );
  };
  const { rows: frozen = [], selected } = fixing;
  const semantics = {
    role: 'grid',
    tabIndex: 0,
    'aria-rowcount': (page?.total ?? 0) + 1,
    ...(rows.length > 0 && { 'aria-activedescendant': cellId(position) }),
  } as const;
  return (
    <table
      ref={element}
      class={fixing.isOn ? 'table is-fixing' : 'table'}
      {...semantics}
      aria-label={label}
      aria-busy={isLoading}
      onKeyDown={(event) => {
        if (event.target === event.currentTarget && press(event)) event.preventDefault();
      }}
      onClick={onClick}
      onPaste={onPaste}
    >
      <thead>
        <tr aria-rowindex={1}>
          <th {...cellProps(-1, 0)} scope="col" title={rowNumberTitle}>
            {fixing.isOn && (
              <input
                type="checkbox"
                aria-label={`Select all ${formatNumber(frozen.length)} rows`}
                checked={selected.size > 0 && selected.size === frozen.length}
                onChange={({ currentTarget }) => fixing.select(currentTarget.checked ? frozen : [])}
              />
            )}
            Row
          </th>
          {columns.map((column, index) => headCell(column, index + 1))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr
            key={`${row.number} ${index}`}
            aria-rowindex={(page?.offset ?? 0) + index + 2}
            aria-selected={choice.row === row.number || (fixing.isOn && selected.has(row.number))}
          >
            <th {...cellProps(index, 0)} scope="row">
              {fixing.isOn && (
                <input
                  type="checkbox"
                  tabIndex={-1}
                  aria-label={`Select row ${formatNumber(row.number)}`}
                  checked={selected.has(row.number)}
                  onClick={({ shiftKey }) => fixing.toggle(row.number, shiftKey)}
                />
              )}
              {formatNumber(row.number)}
            </th>
            {columns.map((column, at) => {
              const cellAt = page?.columns.findIndex(({ name }) => name === column.name) ?? -1;
              const value = row.cells[cellAt] ?? null;
              const text = cellText(value, column);
              return (
                <td key={column.name} {...cellProps(index, at + 1)}>
                  {column.name === 'status' ? (
                    <StatusMark row={row} />
                  ) : (
                    <CellText
                      {...{ fixing, row, text }}
                      columnName={column.name}
                      title={
                        column.type === 'timestamp' && text !== ''
                          ? formatMinute(String(value))
                          : text
                      }
                      onLeave={() => element.current?.focus()}
                    />
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CellText(props: {
  fixing: Fixing;
  row: TableRow;
  columnName: string;
  text: string;
  title: string;
  onLeave(): void;
}) {
  const { fixing, row, columnName, text, title, onLeave } = props;
  const header = fixing.fixes.columns.find(({ name }) => name === columnName)?.header;
  const isCut = row.cut?.includes(columnName) === true;
  const correction =
    header === undefined ? undefined : correctionOf(fixing, row.key, header, text, isCut);
  const { editing } = fixing;
  const refusal = fixing.refused.get(cellKey({ ...row, header: header ?? '' }));
  if (editing && editing.number === row.number && editing.header === header) {
    // The page has only the beginning of a cut cell, so its input starts empty.
    const value = refusal?.value ?? correction?.now ?? (isCut ? '' : text);
    return <FixInput cell={editing} {...{ fixing, value, correction, onLeave }} />;
  }
  if (refusal && fixing.isOn) {
    return (
      <span class="text fixable" title={refusal.text}>
        <b class="refused">{`⚠ ${refusal.value}`}</b> {refusal.text}
      </span>
    );
  }
  const isFixable = fixableIn(fixing, row, columnName) !== undefined;
  return (
    <span class={isFixable ? 'text fixable' : undefined} title={title}>
      {correction ? <Fixed {...correction} /> : text}
    </span>
  );
}

export function Fixed({ now, was }: Correction) {
  return (
    <>
      <span class="fixed">{now || 'empty'}</span> <s>was {wasWords({ was })}</s>
    </>
  );
}

function cellId({ row, column }: GridPosition): string {
  return `cell-${row}-${column}`;
}

type Marked = Omit<TableRow, 'cells'>;

function StatusMark({ row }: { row: Marked }) {
  const { status, reason, reasonText } = row;
  // For `not_found`, reason and status are the same.
  const why = reason === null || reason === status ? undefined : reasonName(reason);
  return (
    <span class="mark" {...(reasonText && { title: reasonText })}>
      <span class={`dot ${status}`} aria-hidden="true" />
      <span class="text">
        {statusNames[status]}
        {why && <span class="muted">: {why}</span>}
      </span>
      <Flags row={row} />
    </span>
  );
}

export function Flags({ row }: { row: Marked }) {
  return (
    <>
      {row.match === 'mismatch' && <span class="tag failed">mismatch</span>}
      {row.isStale && <span class="tag invalid">stale</span>}
      {row.isChanged && <span class="tag accent">changed</span>}
    </>
  );
}
