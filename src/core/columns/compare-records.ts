import type { Country } from '../contract/countries.ts';
import { columnPattern } from './choose-columns.ts';
import type { Cell, Column, ColumnType, FlatRecord } from './columns.ts';
import { companyColumns, peopleColumns, registerColumns, rowColumns } from './table-columns.ts';

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
/** Another service answered a row: only if one of the runs asked several. */
export const serviceChanged = 'service_changed';
export const everyChangeOp = [...changeOps, serviceChanged] as const;
export type ChangeOp = (typeof everyChangeOp)[number];

export type ChangeCounts = Record<(typeof changeOps)[number], number> & {
  [serviceChanged]?: number;
};

export function addChange(counts: ChangeCounts, op: ChangeOp): void {
  counts[op] = (counts[op] ?? 0) + 1;
}

type NamedCells = Readonly<Record<string, unknown>>;

export interface Change {
  readonly op: ChangeOp;
  /** For a person, the key of the first row that matched the company. */
  readonly rowKey: string;
  /** In the later run, or in the earlier one if the row was removed. */
  readonly rowNumber: number | null;
  readonly companyId: string | null;
  readonly companyName: string | null;
  readonly country: Country | null;
  readonly personId: string | null;
  /** Empty if the whole record was added or removed. */
  readonly columns: readonly string[];
  readonly before: NamedCells | null;
  readonly after: NamedCells | null;
  readonly beforeFetchedAt: string | null;
  readonly afterFetchedAt: string | null;
}

/** `on_request`: compared only if the job's `changes.include` names the column. */
export type Comparison = 'always' | 'on_request' | 'never';

export function comparisonOf({ name, path }: Pick<Column, 'name' | 'path'>): Comparison {
  if (neverCompared.has(name)) return 'never';
  if (volatileColumns.has(name) || /^(?:input|register)_/.test(name)) return 'on_request';
  const field = path.join('.');
  return volatileFields.some((pattern) => pattern.test(field)) ? 'on_request' : 'always';
}

const neverCompared: ReadonlySet<string> = new Set([
  ...['row_number', 'row_key', 'fetched_at', 'stale', 'changed_at'],
  ...['row_numbers', 'row_keys', 'list_key', 'list_company', 'seniority_name', 'department_name'],
]);

const volatileColumns: ReadonlySet<string> = new Set([
  'message',
  'people_complete',
  'company_extra',
  'extra',
]);

const volatileFields = [
  /^nextGen\.web_traffic\./,
  /^nextGen\.reviews_rating\.(?!employee_rating_id$|url$)/,
  /^nextGen\.social_media\.\w+\.(?:followers|videos|likes|views|subscribers|following)$/,
];

export const includableColumns: readonly string[] = [
  ...new Set(
    [...rowColumns, ...companyColumns, ...registerColumns, ...peopleColumns]
      .filter((column) => comparisonOf(column) !== 'never')
      .map(({ name }) => name),
  ),
];

export function canInclude(pattern: string): boolean {
  if (/^input_./.test(pattern)) return true;
  const columns = columnPattern(pattern);
  return includableColumns.some((name) => columns.test(name));
}

export function pairColumns(
  before: readonly Column[],
  after: readonly Column[],
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

/** A column, and its place in the earlier and in the later table; -1 if it is not there. */
export interface ColumnPair extends Pick<Column, 'name' | 'type'> {
  readonly before: number;
  readonly after: number;
}

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
    if (isSameCell(type, was, is) || isSameMatch(name, was, is)) continue;
    columns.push(name);
    before[name] = namedValue(pair, was);
    after[name] = namedValue(pair, is);
  }
  return { columns, before, after };
}

export function isSameRecord(
  pairs: readonly ColumnPair[],
  earlier: FlatRecord,
  later: FlatRecord,
): boolean {
  return pairs.every((pair) => {
    const cells = cellsAt(pair, earlier, later);
    return isSameCell(pair.type, ...cells) || isSameMatch(pair.name, ...cells);
  });
}

/** A row that joins the answer of another one has the same company: only no call was made for it. */
function isSameMatch(name: string, ...cells: readonly Cell[]) {
  const isAny = (...matches: readonly Cell[]) => cells.some((cell) => matches.includes(cell));
  return name === 'match' && isAny('joined') && isAny('exact', 'alias');
}

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

/** If only one of the two runs has the column, an empty text equals a missing cell. */
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

/** Ignores order, because services return lists and JSON keys in any order. */
export function isSameCell(type: ColumnType, one: Cell, other: Cell): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  if (typeof one === 'object' && typeof other === 'object') {
    return one.length === other.length && sortedText(one) === sortedText(other);
  }
  if (type !== 'json' || typeof one !== 'string' || typeof other !== 'string') return false;
  return isSameJson(one, other);
}

function isSameJson(one: string, other: string) {
  try {
    return canonicalText(JSON.parse(one)) === canonicalText(JSON.parse(other));
  } catch (error) {
    // JSON nested thousands of levels deep overflows the stack.
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

function sortedText(list: readonly (string | number)[]) {
  return JSON.stringify(list.map(String).sort());
}
