import type { Country } from '../contract/countries.ts';
import { columnPattern } from './choose-columns.ts';
import type { Cell, Column, ColumnType, FlatRecord } from './columns.ts';
import { companyColumns, peopleColumns, rowColumns } from './table-columns.ts';

/** What can happen to a row, its company or a person between two runs, the list first. */
export const changeOps = [
  'row_added',
  'row_removed',
  'company_found',
  'company_lost',
  'company_replaced',
  'company_changed',
  'person_joined',
  'person_left',
  'person_changed',
] as const;
export type ChangeOp = (typeof changeOps)[number];

export type ChangeCounts = Record<ChangeOp, number>;

/** Cells by the names of their columns. A JSON cell is the value that its text holds. */
export type NamedCells = Readonly<Record<string, unknown>>;

/** One thing that differs between two runs of a job; a record of changes.*. */
export interface Change {
  readonly op: ChangeOp;
  /** Of a person: the first row that led to the company. */
  readonly rowKey: string;
  /** In the later run; of a removed row, in the earlier one. */
  readonly rowNumber: number | null;
  readonly companyId: string | null;
  readonly companyName: string | null;
  readonly country: Country | null;
  readonly personId: string | null;
  /** Columns that differ; none where a whole record came or went. */
  readonly columns: readonly string[];
  /** Null where the record is new. */
  readonly before: NamedCells | null;
  /** Null where the record is gone. */
  readonly after: NamedCells | null;
  readonly beforeFetchedAt: string | null;
  readonly afterFetchedAt: string | null;
}

/**
 * How a column counts when two runs are compared: `always`; `on_request`, only where `changes.include`
 * of the job names it, because it moves by itself; or `never`.
 */
export type Comparison = 'always' | 'on_request' | 'never';

export function comparisonOf({ name, path }: Pick<Column, 'name' | 'path'>): Comparison {
  if (neverCompared.has(name)) return 'never';
  if (volatileColumns.has(name) || name.startsWith('input_')) return 'on_request';
  const field = path.join('.');
  return volatileFields.some((pattern) => pattern.test(field)) ? 'on_request' : 'always';
}

/** Where a record stands, when it was fetched, and names that the job itself gives. */
const neverCompared: ReadonlySet<string> = new Set([
  ...['row_number', 'row_key', 'fetched_at', 'stale', 'changed_at'],
  ...['row_numbers', 'row_keys', 'seniority_name', 'department_name'],
]);

/**
 * Words of the service about a failure, how far a search came, and fields that the interface does not
 * name: the time of the last update, say, which is new with every answer.
 */
const volatileColumns: ReadonlySet<string> = new Set([
  ...['message', 'people_complete', 'company_extra', 'extra'],
]);

/** Traffic, ratings and the counts of social profiles differ from one answer to the next. */
const volatileFields = [
  /^nextGen\.web_traffic\./,
  /^nextGen\.reviews_rating\.(?!employee_rating_id$|url$)/,
  /^nextGen\.social_media\.\w+\.(?:followers|videos|likes|views|subscribers|following)$/,
];

/** Columns that `changes.include` may name; those of the input are known only with the list. */
export const includableColumns: readonly string[] = [
  ...new Set(
    [...rowColumns, ...companyColumns, ...peopleColumns]
      .filter((column) => comparisonOf(column) !== 'never')
      .map(({ name }) => name),
  ),
];

/** Whether a pattern of `changes.include` can name a column at all. */
export function canInclude(pattern: string): boolean {
  if (/^input_./.test(pattern)) return true;
  const columns = columnPattern(pattern);
  return includableColumns.some((name) => columns.test(name));
}

/** Where the compared columns of two tables stand, by name, in the order of the later table; -1 where one lacks a column. */
export function pairColumns(
  before: readonly Column[],
  after: readonly Column[],
  /** Columns that are compared on request, by name or pattern. */
  include: readonly string[],
) {
  const patterns = include.map(columnPattern);
  const isCompared = (column: Column) => {
    const comparison = comparisonOf(column);
    if (comparison !== 'on_request') return comparison === 'always';
    return patterns.some((pattern) => pattern.test(column.name));
  };
  const compared = [...after, ...before].filter(isCompared);
  const types = new Map(compared.map(({ name, type }) => [name, type]));
  const placeIn = (columns: readonly Column[], name: string) =>
    columns.findIndex((column) => column.name === name);
  return [...types].map(([name, type]) => ({
    name,
    type,
    before: placeIn(before, name),
    after: placeIn(after, name),
  }));
}
export type ColumnPair = ReturnType<typeof pairColumns>[number];

/** The columns in which two records differ, with what they held and hold; none where one has come or gone. */
export function differenceOf(
  pairs: readonly ColumnPair[],
  earlier: FlatRecord | undefined,
  later: FlatRecord | undefined,
): Pick<Change, 'columns' | 'before' | 'after'> {
  if (!earlier || !later) {
    return {
      columns: [],
      before: earlier ? cellsOf(pairs, earlier, 'before') : null,
      after: later ? cellsOf(pairs, later, 'after') : null,
    };
  }
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
    const cell = record[pair[side]] ?? null;
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
  const [was, is] = [earlier[before] ?? null, later[after] ?? null];
  if (before !== -1 && after !== -1) return [was, is];
  return [was === '' ? null : was, is === '' ? null : is];
}

function namedValue({ type }: ColumnPair, cell: Cell): unknown {
  return type === 'json' && typeof cell === 'string' ? (JSON.parse(cell) as unknown) : cell;
}

/**
 * Whether two cells of a column say the same. The order of a list, and of the keys and lists within
 * JSON, says nothing: services give them in any order.
 */
export function isSameCell(type: ColumnType, one: Cell, other: Cell): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (typeof one === 'object' && typeof other === 'object') {
    return one.length === other.length && sortedText(one) === sortedText(other);
  }
  if (type !== 'json' || typeof one !== 'string' || typeof other !== 'string') return false;
  return isSameJson(one, other);
}

function isSameJson(one: string, other: string): boolean {
  try {
    return canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other));
  } catch (error) {
    // JSON that is nested thousands of levels deep is compared as it came.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, inner]) => `${JSON.stringify(key)}:${canonicalText(inner)}`,
  );
  return `{${entries.sort().join(',')}}`;
}

function sortedText(list: readonly (string | number)[]): string {
  return JSON.stringify(list.map(String).sort());
}
