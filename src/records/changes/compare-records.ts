import type { Cell, FlatRecord } from '../columns/columns.ts';
import type { NamedCells } from './change.ts';
import type { ComparedColumn } from './included-columns.ts';
import { isSameCell } from './same-cell.ts';

/** A column that two tables have, perhaps in another position, or only one of them. */
export interface ColumnPair extends Pick<ComparedColumn, 'name' | 'type'> {
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Pairs the compared columns of two tables by their names, in the order of the later table. */
export function pairColumns(
  before: readonly ComparedColumn[],
  after: readonly ComparedColumn[],
): ColumnPair[] {
  const earlier = new Map(before.map((column) => [column.name, column]));
  const names = new Set(after.map(({ name }) => name));
  return [
    ...after.map(({ name, type, position }) => ({
      ...{ name, type, after: position },
      before: earlier.get(name)?.position,
    })),
    ...before
      .filter(({ name }) => !names.has(name))
      .map(({ name, type, position }) => ({ name, type, before: position, after: undefined })),
  ];
}

/** The columns in which two records differ, with what they held and hold. */
export interface Difference {
  readonly columns: readonly string[];
  readonly before: NamedCells;
  readonly after: NamedCells;
}

export function differenceOf(
  pairs: readonly ColumnPair[],
  earlier: FlatRecord,
  later: FlatRecord,
): Difference {
  const columns: string[] = [];
  const before: Record<string, unknown> = {};
  const after: Record<string, unknown> = {};
  for (const pair of pairs) {
    const { name, type } = pair;
    const [was, is] = cellsAt(pair, earlier, later);
    if (isSameCell(type, was, is)) continue;
    columns.push(name);
    before[name] = namedValue(pair, was);
    after[name] = namedValue(pair, is);
  }
  return { columns, before, after };
}

/** Whether two records differ in none of the columns. */
export function isSameRecord(
  pairs: readonly ColumnPair[],
  earlier: FlatRecord,
  later: FlatRecord,
): boolean {
  return pairs.every((pair) => isSameCell(pair.type, ...cellsAt(pair, earlier, later)));
}

/** The filled cells of a record that has come or gone as a whole. */
export function cellsOf(
  pairs: readonly ColumnPair[],
  record: FlatRecord,
  side: 'before' | 'after',
): NamedCells {
  const cells: Record<string, unknown> = {};
  for (const pair of pairs) {
    const cell = cellAt(record, pair[side]);
    if (cell !== null) cells[pair.name] = namedValue(pair, cell);
  }
  return cells;
}

/** Of a column that only one of the tables has, an empty text is the same as none. */
function cellsAt(
  { before, after }: ColumnPair,
  earlier: FlatRecord,
  later: FlatRecord,
): readonly [Cell, Cell] {
  const [was, is] = [cellAt(earlier, before), cellAt(later, after)];
  if (before !== undefined && after !== undefined) return [was, is];
  return [was === '' ? null : was, is === '' ? null : is];
}

function cellAt(record: FlatRecord, position: number | undefined): Cell {
  return position === undefined ? null : (record[position] ?? null);
}

function namedValue({ type }: ColumnPair, cell: Cell): unknown {
  return type === 'json' && typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
}
