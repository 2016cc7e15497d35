import { useEffect, useRef, useState } from 'preact/hooks';
import { formatMinute, formatNumber } from '../../../../core/values/format.ts';
import { asSentence } from '../../../../core/values/printable.ts';
import { rowNumberTitle } from '../../../words/labels.ts';
import type { TableColumn, TableRow } from '../../../workbench/api/answers.ts';
import { Button } from '../../parts/controls.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { InlineCode, Outside } from '../../parts/text.tsx';
import { cellText, linkOf } from './cell-text.ts';
import { queryOf } from './choice.ts';
import { FixInput, groupedAbn, Suggestions } from './fix-input.tsx';
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
import { wrongColumn } from './wrong-column.ts';

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
          <Row
            key={`${row.number} ${index}`}
            {...{ ...table, row, index, cellProps }}
            isAt={position.row === index}
          />
        ))}
      </tbody>
    </table>
  );
}

function useGridPosition({ columns, page, loaded, choice, grid, fixing }: Table) {
  const [position, setPosition] = useState<GridPosition>({ row: 0, column: 0 });
  const shown = JSON.stringify([queryOf(choice), choice.page, choice.size]);
  useEffect(() => {
    // Sorting by keyboard keeps the position in the header.
    setPosition((before) => (before.row === -1 ? before : { ...before, row: 0 }));
    grid.current?.parentElement?.scrollTo({ top: 0 });
  }, [shown]);
  const isStill = useRef(false);
  useEffect(() => {
    if (isStill.current) isStill.current = false;
    else
      document
        .getElementById(cellId(position))
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [position]);
  const edited = fixing.editing?.number;
  useEffect(() => {
    const row = page?.rows.findIndex(({ number }) => number === edited) ?? -1;
    if (row !== -1) setPosition((before) => ({ ...before, row }));
  }, [edited, page]);
  const { target } = fixing;
  useEffect(() => {
    const row = page?.rows.findIndex(({ number }) => number === target?.number) ?? -1;
    const found = page?.rows[row];
    if (!found || loaded.isLoading) return;
    const wrong = wrongColumn(fixing, found, textsOf(page, found));
    isStill.current = target?.isStill === true;
    setPosition({ row, column: 1 + columns.findIndex(({ name }) => name === wrong?.name) });
  }, [target, page, loaded.isLoading, columns]);
  return {
    position,
    setPosition(to: GridPosition) {
      if (target) fixing.goTo(undefined);
      setPosition(to);
    },
  };
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
    else if (key === ' ' && fixing.isOn && position.column === 0) toggleAll(fixing);
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
/** `isAt`: the keyboard is in this row. */
type RowProps = HeadProps & { row: TableRow; index: number; isAt: boolean };

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
              tabIndex={-1}
              aria-label={`Select all ${formatNumber(rows.length)} rows`}
              checked={selected.size > 0 && selected.size === rows.length}
              onChange={() => toggleAll(fixing)}
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
  const wrong = wrongCell(props);
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
        <td
          key={column.name}
          {...cellProps(index, at + 1)}
          aria-invalid={column.name === wrong?.marked || undefined}
          data-head={column.label}
        >
          {column.name === 'status' ? (
            <StatusMark {...row} />
          ) : (
            <CellText {...props} column={column} />
          )}
          {at === 0 && fixing.isOn && (
            <small>
              <StatusMark {...row} reason={null} /> {wrong && <Reason {...props} {...wrong} />}
            </small>
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
        <Fixed {...correction} row={row} />
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

/** The cell that a row in Fix is wrong by, unless it has been corrected. */
function wrongCell({ fixing, page, row }: RowProps) {
  const { columns } = fixing.fixes;
  const textOf = textsOf(page, row);
  const refusalOf = (header: string) => fixing.refused.get(cellKey({ ...row, header }));
  const refused = columns.find(({ header }) => refusalOf(header));
  const column = refused ?? wrongColumn(fixing, row, textOf);
  if (!column || !fixableIn(fixing, row, column.name)) return undefined;
  const { name, header, isName } = column;
  const refusal = refusalOf(header);
  const text = refusal ? refusal.text : row.reasonText;
  const correction = correctionOf(fixing, row.key, header, textOf(name), false);
  const suggestions = isName ? row.suggestions : undefined;
  // Until it is looked up, only choices stay, so that no other row moves under the mouse.
  const isCorrected = correction && !correction.isLookedUp && !refusal;
  if (!text || (isCorrected && !suggestions)) return undefined;
  const better = refusal ? refusal.meant : row.about?.meant;
  return { marked: isCorrected ? undefined : name, header, text, better, suggestions, correction };
}

/** Beside the name of the company, so that it is in sight with each cell of the row. */
function Reason(props: RowProps & NonNullable<ReturnType<typeof wrongCell>>) {
  const { fixing, row, isAt, focusGrid, header, text, better, suggestions, correction } = props;
  const { number } = row;
  const tabIndex = isAt ? 0 : -1;
  const take = (value: string, isStill: boolean) => {
    fixing.fill([{ number, header, value }]);
    fixing.goTo({ number: nextToFix(props), isStill });
    focusGrid();
  };
  return (
    <span class="reason-text">
      <bdi>
        <InlineCode text={asSentence(text)} />
      </bdi>{' '}
      {better !== undefined && (
        <Button
          class="plain"
          tabIndex={tabIndex}
          onClick={({ detail }) => take(better, detail > 0)}
        >
          Use <bdi>{better}</bdi>
        </Button>
      )}
      {suggestions && (
        <Suggestions
          suggestions={suggestions}
          chosen={correction?.now}
          tabIndex={tabIndex}
          onChoose={take}
        />
      )}
    </span>
  );
}

/** The next row whose correction is one click, or else the next row. */
function nextToFix({ fixing, page, row, index }: RowProps) {
  const { rows = [], waiting } = fixing;
  const offers = ({ key, about, suggestions }: TableRow) =>
    (suggestions || about?.meant) && !waiting.some((one) => one.key === key);
  const next = page?.rows.slice(index + 1).find(offers);
  return next?.number ?? rows[rows.indexOf(row.number) + 1] ?? row.number;
}

function textsOf(page: Table['page'], { cells }: TableRow) {
  return (name: string) => {
    const at = page?.columns.findIndex((one) => one.name === name) ?? -1;
    const column = page?.columns[at];
    return column ? cellText(cells[at] ?? null, column) : '';
  };
}

function toggleAll({ rows = [], selected, select }: Table['fixing']) {
  select(selected.size === rows.length ? [] : rows);
}

/** A company that was chosen for a name keeps a name beside its number. */
function chosenName({ suggestions, registerName }: NamedRow, now: string) {
  if (!/^\d{11}$/.test(now)) return undefined;
  return suggestions?.find(({ value }) => value === now)?.name ?? registerName;
}

type NamedRow = Pick<TableRow, 'suggestions' | 'registerName'>;

export function Fixed({ now, was, row }: ShownCorrection & { row: NamedRow }) {
  const name = chosenName(row, now);
  return (
    <>
      <bdi class="fixed">{name ? `${name} · ABN ${groupedAbn(now)}` : now || 'empty'}</bdi>{' '}
      <s>
        was <bdi>{wasWords(was)}</bdi>
      </s>
    </>
  );
}

function cellId({ row, column }: GridPosition) {
  return `cell-${row}-${column}`;
}
