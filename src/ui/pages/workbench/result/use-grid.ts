import { useEffect, useRef, useState } from 'preact/hooks';
import type { TableRow } from '../../../workbench/api/answers.ts';
import { textsOf } from './cell-text.ts';
import { queryOf } from './choice.ts';
import { type GridPosition, moveBy } from './grid-keys.ts';
import { changeChoice as change, sortBy } from './use-choice.ts';
import { type EditedCell, fixableIn, paste } from './use-fixing.ts';
import type { Table } from './use-table.ts';
import { wrongColumn } from './wrong-column.ts';

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

/** Where the keyboard is, and what keys, clicks and pasting do. */
export function useGrid(table: Table) {
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

export function toggleAll({ rows = [], selected, select }: Table['fixing']) {
  select(selected.size === rows.length ? [] : rows);
}

export function cellId({ row, column }: GridPosition) {
  return `cell-${row}-${column}`;
}
