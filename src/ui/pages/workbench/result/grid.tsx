import { useEffect, useState } from 'preact/hooks';
import { formatMinute, formatNumber } from '../../../../core/values/format.ts';
import { asSentence } from '../../../../core/values/printable.ts';
import { rowNumberTitle } from '../../../words/labels.ts';
import type { TableColumn, TableRow } from '../../../workbench/api/answers.ts';
import { Button } from '../../parts/controls.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { InlineCode, Outside } from '../../parts/text.tsx';
import { cellText, linkOf } from './cell-text.ts';
import { queryOf } from './choice.ts';
import { FixInput, Suggestions } from './fix-input.tsx';
import { type GridPosition, moveBy } from './grid-keys.ts';
import { changeChoice as change, sortBy } from './use-choice.ts';
import {
  cellKey,
  correctionOf,
  type EditedCell,
  fixableIn,
  paste,
  type ShownCorrection,
  wasWords,
} from './use-fixing.ts';
import type { Table } from './use-table.ts';

/** One tab stop; arrow keys move within the table. */
export function Grid(table: Table) {
  const { columns, page, loaded, choice, grid, fixing } = table;
  const { rows = [], total = 0 } = page ?? {};
  const { position, ...actions } = useGridActions(table);
  const cellProps = (row: number, at: number) => {
    const { type } = columns[at - 1] ?? {};
    const classes = [
      at === 1 && 'pinned',
      (type === 'integer' || type === 'decimal') && 'number',
      position.row === row && position.column === at && 'at',
    ];
    return { id: cellId({ row, column: at }), class: classes.filter(Boolean).join(' ') };
  };
  const semantics = {
    role: 'grid',
    tabIndex: 0,
    'aria-rowcount': total + 1,
    ...(rows.length > 0 && { 'aria-activedescendant': cellId(position) }),
  } as const;
  return (
    <table
      ref={grid}
      class={fixing.isOn ? 'table is-fixing' : 'table'}
      {...semantics}
      aria-label={choice.isPeople ? 'People' : 'Rows'}
      aria-busy={loaded.isLoading}
      {...actions}
    >
      <Head {...table} cellProps={cellProps} />
      <tbody>
        {rows.map((row, index) => (
          <Row key={`${row.number} ${index}`} {...{ ...table, row, index, cellProps }} />
        ))}
      </tbody>
    </table>
  );
}

function useGridPosition({ page, choice, grid, fixing }: Table) {
  const [position, setPosition] = useState<GridPosition>({ row: 0, column: 0 });
  const shown = JSON.stringify([queryOf(choice), choice.page, choice.size]);
  useEffect(() => {
    // Sorting by keyboard keeps the position in the header.
    setPosition((before) => (before.row === -1 ? before : { ...before, row: 0 }));
    grid.current?.parentElement?.scrollTo({ top: 0 });
  }, [shown]);
  useEffect(() => {
    document
      .getElementById(cellId(position))
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [position]);
  const edited = fixing.editing?.number;
  useEffect(() => {
    const row = page?.rows.findIndex(({ number }) => number === edited) ?? -1;
    if (row !== -1) setPosition((before) => ({ ...before, row }));
  }, [edited, page]);
  return { position, setPosition };
}

function useGridActions(table: Table) {
  const { columns, page, choice, grid, focusPanel, fixing } = table;
  const { position, setPosition } = useGridPosition(table);
  const { rows = [], total = 0 } = page ?? {};
  const open = (row: TableRow | undefined) => {
    if (row) change({ row: row.number }, choice.row === null);
  };
  const fixableAt = (at: GridPosition): EditedCell | undefined => {
    const row = rows[at.row];
    const found = row && fixableIn(fixing, row, columns[at.column - 1]?.name);
    return found && { number: row.number, header: found.header };
  };
  const activate = (at: GridPosition, isKey: boolean) => {
    const head = at.row === -1 ? columns[at.column - 1] : undefined;
    const cell = fixableAt(at);
    if (head) sortBy(head, choice);
    else if (cell) fixing.begin(cell);
    else if (at.row >= 0) {
      open(rows[at.row]);
      if (isKey) focusPanel();
    }
  };
  const move = (event: KeyboardEvent): boolean => {
    const size = { rows: rows.length, columns: columns.length + 1 };
    const next = event.altKey ? undefined : moveBy(event, position, size);
    if (!next) return false;
    const { turn, ...to } = next;
    const wanted = choice.page + turn;
    if (turn === 0) {
      setPosition(to);
      if (choice.row !== null) open(rows[to.row]);
    } else if (wanted >= 1 && wanted <= Math.ceil(total / choice.size)) change({ page: wanted });
    return true;
  };
  const press = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const row = rows[position.row];
    const cell = fixableAt(position);
    if (key === ' ' && fixing.isOn && row) fixing.toggle(row.number, shiftKey);
    // A click leaves the focus in the table, so Escape must close the row panel here too.
    else if (key === 'Escape' && choice.row !== null) change({ row: null });
    else if (key === 'Enter' || key === 'F2' || key === ' ') activate(position, true);
    else if (cell && key.length === 1 && !ctrlKey && !metaKey && !altKey) {
      fixing.begin({ ...cell, text: key });
    } else return move(event);
    return true;
  };
  return {
    position,
    onKeyDown(event: KeyboardEvent) {
      if (event.target === event.currentTarget && press(event)) event.preventDefault();
    },
    /** Rows move when a save ends, which may be before the button of the mouse is up. */
    onMouseDown(event: MouseEvent) {
      const at = event.button === 0 && positionOf(event);
      if (!at || !fixableAt(at)) return;
      event.preventDefault();
      grid.current?.focus();
      setPosition(at);
      activate(at, false);
    },
    onClick(event: MouseEvent) {
      const at = positionOf(event);
      if (!at) return;
      setPosition(at);
      activate(at, false);
    },
    onPaste(event: ClipboardEvent) {
      const cell = event.target === event.currentTarget ? fixableAt(position) : undefined;
      if (!cell) return;
      event.preventDefault();
      paste(fixing, cell, event.clipboardData?.getData('text/plain') ?? '');
    },
  };
}

function positionOf({ target }: MouseEvent): GridPosition | undefined {
  if (!(target instanceof Element) || target.closest('.fix-cell, input, a, button')) return;
  const cell = target.closest<HTMLTableCellElement>('th, td');
  const line = target.closest('tr');
  if (!cell || !line || cell.querySelector('.fix-cell')) return;
  return { row: line.rowIndex - 1, column: cell.cellIndex };
}

type HeadProps = Table & { cellProps(row: number, at: number): object };
type RowProps = HeadProps & { row: TableRow; index: number };

function Head({ columns, choice, fixing, cellProps }: HeadProps) {
  const { rows = [], selected } = fixing;
  const order = choice.isDescending ? 'descending' : 'ascending';
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th {...cellProps(-1, 0)} scope="col" title={rowNumberTitle}>
          {fixing.isOn && (
            <input
              type="checkbox"
              aria-label={`Select all ${formatNumber(rows.length)} rows`}
              checked={selected.size > 0 && selected.size === rows.length}
              onChange={({ currentTarget }) => fixing.select(currentTarget.checked ? rows : [])}
            />
          )}
          Row
        </th>
        {columns.map(({ name, label, about, isSortable }, index) => {
          const isSorted = choice.sort === name;
          return (
            <th
              key={name}
              {...cellProps(-1, index + 1)}
              scope="col"
              aria-sort={isSortable ? (isSorted ? order : 'none') : undefined}
              title={about || label}
            >
              {label}
              {isSorted && <span aria-hidden="true">{choice.isDescending ? ' ↓' : ' ↑'}</span>}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Row(props: RowProps) {
  const { columns, page, choice, fixing, cellProps, row, index } = props;
  const isSelected = fixing.selected.has(row.number);
  return (
    <tr
      aria-rowindex={(page?.offset ?? 0) + index + 2}
      aria-selected={choice.row === row.number || (fixing.isOn && isSelected)}
    >
      <th {...cellProps(index, 0)} scope="row">
        {fixing.isOn && (
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select row ${formatNumber(row.number)}`}
            checked={isSelected}
            onClick={({ shiftKey }) => fixing.toggle(row.number, shiftKey)}
          />
        )}
        {formatNumber(row.number)}
      </th>
      {columns.map((column, at) => (
        <td key={column.name} {...cellProps(index, at + 1)}>
          {column.name === 'status' ? (
            <StatusMark {...row} />
          ) : (
            <>
              <CellText {...props} column={column} />
              <Reason {...props} column={column} />
            </>
          )}
        </td>
      ))}
    </tr>
  );
}

function CellText(props: RowProps & { column: TableColumn }) {
  const { fixing, page, row, column } = props;
  const { name, type } = column;
  const cellAt = page?.columns.findIndex((one) => one.name === name) ?? -1;
  const cell = row.cells[cellAt] ?? null;
  const text = cellText(cell, column);
  const header = fixing.fixes.columns.find((one) => one.name === name)?.header;
  const isCut = row.cut?.includes(name) === true;
  const correction = correctionOf(fixing, row.key, header, text, isCut);
  const link = linkOf(cell, column);
  const { editing } = fixing;
  const refusal = fixing.refused.get(cellKey({ ...row, header: header ?? '' }));
  if (editing?.number === row.number && editing.header === header) {
    // The page has only the beginning of a cut cell, so its input starts empty.
    const value = refusal?.value ?? correction?.now ?? (isCut ? '' : text);
    const isName = fixing.fixes.columns.some((one) => one.name === name && one.isName);
    const suggestions = isName ? row.suggestions : undefined;
    return <FixInput {...{ ...props, value, correction, suggestions }} cell={editing} />;
  }
  if (refusal && fixing.isOn) {
    return (
      <b class="text fixable refused">
        ⚠ <bdi>{refusal.value}</bdi>
      </b>
    );
  }
  return (
    <bdi
      class={fixableIn(fixing, row, name) && 'text fixable'}
      title={type === 'timestamp' && text !== '' ? formatMinute(String(cell)) : text}
    >
      {correction ? (
        <Fixed {...correction} />
      ) : link ? (
        <Outside href={link} tabIndex={-1}>
          {text}
        </Outside>
      ) : (
        text
      )}
    </bdi>
  );
}

/** In Fix, the whole reason stands below the value that it is about. */
function Reason({ fixing, row, columns, column, page }: RowProps & { column: TableColumn }) {
  const { meant, suggestions } = row;
  const cellAt = (name: string) =>
    row.cells[page?.columns.findIndex((one) => one.name === name) ?? -1];
  const fixable = columns.filter(({ name }) => fixableIn(fixing, row, name));
  const named = suggestions && fixing.fixes.columns.find(({ isName }) => isName)?.name;
  const about = meant?.name ?? named;
  const wrong = fixable.find(({ name }) => (about ? name === about : cellAt(name)));
  const header = fixing.fixes.columns.find(({ name }) => name === column.name)?.header;
  if (header === undefined) return null;
  const isWrong = column === (wrong ?? fixable[0]);
  const refusal = fixing.refused.get(cellKey({ ...row, header }));
  const reasonText = refusal ? refusal.text : isWrong && row.reasonText;
  if (!reasonText) return null;
  const better = refusal ? refusal.meant : meant?.value;
  const text = cellText(cellAt(column.name) ?? null, column);
  const correction = correctionOf(fixing, row.key, header, text, false);
  const choices = column.name === named ? suggestions : undefined;
  // Until it is looked up, only choices stay, so that no other row moves under the mouse.
  if (correction && !correction.isLookedUp && !choices && !refusal) return null;
  const { number } = row;
  return (
    <small class="reason-text">
      <bdi>
        <InlineCode text={asSentence(reasonText)} />
      </bdi>{' '}
      {better !== undefined && (
        <Button
          class="plain"
          tabIndex={-1}
          onClick={() => fixing.fill([{ number, header, value: better }])}
        >
          Use <bdi>{better}</bdi>
        </Button>
      )}
      {choices && (
        <Suggestions
          suggestions={choices}
          chosen={correction?.now}
          tabIndex={-1}
          onChoose={(value) => fixing.fill([{ number, header, value }])}
        />
      )}
    </small>
  );
}

export function Fixed({ now, was }: ShownCorrection) {
  return (
    <>
      <bdi class="fixed">{now || 'empty'}</bdi>{' '}
      <s>
        was <bdi>{wasWords(was)}</bdi>
      </s>
    </>
  );
}

function cellId({ row, column }: GridPosition) {
  return `cell-${row}-${column}`;
}
