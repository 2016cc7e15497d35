import { viewTable } from '../../../core/columns/choose-columns.ts';
import type { Column, FlatRecord } from '../../../core/columns/columns.ts';
import type { ChangedSide } from '../../../core/columns/run-records.ts';
import { flattenRow } from '../../../core/columns/tables.ts';
import { DossierError } from '../../../core/errors.ts';
import type { Ledger } from '../../../engine/ledger/open-ledger.ts';
import { runName } from '../../../engine/ledger/runs/runs.ts';
import { explainReason } from '../../report/report-data.ts';
import type {
  Facet,
  Facets,
  FacetsQuery,
  IndexState,
  RowsPage,
  RowsQuery,
  TableColumns,
  TableRow,
} from '../api/rows.ts';
import { cutForTable, isCutForTable } from './cut-cell.ts';
import { isMismatch } from './flat-row.ts';
import type { Wanted } from './flat-table.ts';
import { changeBase, type FollowedRun, type PeopleTerms } from './followed-run.ts';
import {
  labelOf,
  type PlacedColumn,
  personColumns,
  personPresets,
  presetsOf,
  tableColumns,
} from './table-columns.ts';

/** A run whose table is open, with all that answers requests for it. */
export interface OpenTable {
  readonly ledger: Ledger;
  readonly followed: FollowedRun;
  readonly terms: PeopleTerms;
}

/** Of which table a request is. */
type OfTable = Pick<RowsQuery, 'table'>;

const usualLimit = 100;

export function readColumns({ followed: { run } }: OpenTable, query: OfTable): TableColumns {
  const columns = columnsOf(run, query);
  return {
    run: runName(run),
    hasPeople: run.hasPeople,
    columns: columns.map(withoutPosition),
    presets: query.table === 'people' ? personPresets : presetsOf(columns),
  };
}

function columnsOf(run: FollowedRun['run'], { table }: OfTable): readonly PlacedColumn[] {
  return table === 'people' ? personColumns : tableColumns(run);
}

/** A page of the table: by the ledger alone, or by the flat table where it is searched, narrowed or sorted. */
export function readPage(table: OpenTable, query: RowsQuery): RowsPage {
  const { ledger, followed } = table;
  const { run } = followed;
  const { offset = 0 } = query;
  const isOfPeople = query.table === 'people';
  const all = columnsOf(run, query);
  const byName = new Map(all.map((column) => [column.name, column]));
  const first = isOfPeople ? personPresets[0] : presetsOf(all)[0];
  const wanted = query.columns ?? first?.columns ?? [];
  const shown = wanted.flatMap((name) => byName.get(name) ?? []);
  const { numbers, ...counts } = numbersOf(table, query);
  const columns = shown.map(withoutPosition);
  const head = { run: runName(run), ...counts, offset, index: followed.state(isOfPeople), columns };
  if (isOfPeople) {
    const people = followed.table?.peopleAtLines(numbers) ?? [];
    return {
      ...head,
      rows: people.map(({ firstRow: number, record }) => ({
        ...{ number, key: '', status: 'matched', reason: null, reasonText: null, match: null },
        ...{ isStale: false, isMismatch: false, isChanged: null },
        cells: shown.map(({ position }) => cutForTable(record[position] ?? null)),
      })),
    };
  }
  const baseId = changeBase(ledger, run)?.id;
  const people = run.hasPeople ? followed.table?.peopleCounts(numbers) : undefined;
  return {
    ...head,
    rows: ledger.records.at(run, numbers).map((side) => {
      const { cells } = flattenRow(side.record, run.columns.length);
      const cut = shown.filter(({ position }) => isCutForTable(cells[position] ?? null));
      const cellOf = ({ position }: PlacedColumn) =>
        position === -1 ? (people?.get(side.record.number) ?? null) : (cells[position] ?? null);
      return {
        ...rowFacts(side, baseId),
        cells: shown.map((column) => cutForTable(cellOf(column))),
        ...(cut.length > 0 && { cut: cut.map(({ name }) => name) }),
      };
    }),
  };
}

/** The numbers of the rows of a page, and how many there are in all. */
function numbersOf({ ledger, followed }: OpenTable, query: RowsQuery) {
  const { offset = 0, limit = usualLimit, numbers } = query;
  const wanted = wantedBy(followed, query);
  const flat = query.table === 'people' ? followed.table?.people : followed.table?.rows;
  const all =
    query.table === 'people'
      ? (flat?.count({ search: '', facets: {} }) ?? 0)
      : ledger.lists.size(followed.run.listId);
  if (numbers) return { all, total: numbers.length, numbers };
  if (!wanted) {
    return { all, total: all, numbers: range(offset, Math.min(offset + limit, all)) };
  }
  return {
    all,
    total: flat?.count(wanted) ?? 0,
    numbers: flat?.find(wanted, offset, limit) ?? [],
  };
}

/** Rows with their whole cells, as they are fixed. */
export type FixableRow = ReturnType<typeof readFixable>['rows'][number];

export function readFixable({ ledger, followed: { run } }: OpenTable, numbers: readonly number[]) {
  return {
    run: runName(run),
    columns: run.columns,
    rows: ledger.records.at(run, numbers).map(({ record: { number, key, status, cells } }) => {
      return { number, key, status, cells: cells.map((cell) => cell ?? undefined) };
    }),
  };
}

/** What the table tells of a row besides its cells. */
export function rowFacts(
  { record, changedRun }: ChangedSide,
  baseId: number | undefined,
): Omit<TableRow, 'cells'> {
  const { number, key, status, reason, message, match, isStale } = record;
  return {
    ...{ number, key, status, reason, reasonText: message, match, isStale },
    isMismatch: isMismatch(record),
    isChanged: baseId === undefined ? null : (changedRun ?? 0) > baseId,
  };
}

/** What is asked of the flat table; undefined for the whole list in its own order. */
function wantedBy({ run }: FollowedRun, query: RowsQuery): Wanted | undefined {
  const { search = '', facets = {}, sort, descending: isDescending = false } = query;
  const isWhole =
    search.trim() === '' && Object.values(facets).every((values) => values.length === 0);
  if (sort === undefined) {
    return isWhole && query.table !== 'people' ? undefined : { search, facets };
  }
  const isSortable = columnsOf(run, query).some((one) => one.name === sort && one.isSortable);
  if (!isSortable) throw new DossierError('USAGE', `the table cannot be sorted by ${sort}`);
  return { search, facets, sort: { column: sort, isDescending } };
}

export function withoutPosition({ position: _, ...column }: PlacedColumn) {
  return column;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at + 1);
}

/** Values of one facet that are listed. */
const mostValues = 50;

export function readFacets({ followed }: OpenTable, query: FacetsQuery): Facets {
  const { search = '', facets = {}, open = [] } = query;
  const { run, table } = followed;
  const isOfPeople = query.table === 'people';
  const state = followed.state(isOfPeople);
  const flat = isOfPeople ? table?.people : table?.rows;
  // Which columns have few values is known when all rows are there.
  const own = state.isWhole && !isOfPeople ? (table?.listFacets() ?? []) : [];
  const isOpen = (name: string) => open.includes(name) || name in facets;
  const opened = own.map(({ name }) => name).filter(isOpen);
  const counted = [...(flat?.facets ?? []), ...opened];
  const counts = flat?.counts(counted, { search, facets }) ?? [];
  const labels = new Map(columnsOf(run, query).map(({ name, label }) => [name, label]));
  const listed = counted.flatMap((name, at): Facet[] => {
    const chosen = facets[name] ?? [];
    const rows = counts[at] ?? new Map<string, number>();
    for (const value of chosen) if (!rows.has(value)) rows.set(value, 0);
    const values = [...rows]
      .map(([value, count]) => ({ value, count, isChosen: chosen.includes(value) }))
      .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
    const shown = values
      .filter(({ isChosen }, place) => isChosen || place < mostValues)
      .map((value) => ({ ...value, label: valueLabel(name, value.value) }));
    if (shown.length === 0) return [];
    const label = labels.get(name) ?? labelOf(name);
    return [{ name, label, values: shown, otherValues: values.length - shown.length }];
  });
  const closed = own
    .filter(({ name }) => !isOpen(name))
    .map(({ name }) => ({ name, label: labels.get(name) ?? name, values: [], otherValues: 0 }));
  return { run: runName(run), index: state, facets: [...listed, ...closed] };
}

/** A reason is told in a sentence; what outcomes and identifiers are called, the page knows. */
function valueLabel(name: string, value: string): string {
  if (name !== 'reason') return value;
  return explainReason({ status: 'failed', reason: value, rows: 0, examples: [] }).message || value;
}

/** Which rows or people of a run a query asks for. */
export interface FoundRows {
  readonly run: number;
  /** Whether its job searches people. */
  readonly hasPeople: boolean;
  readonly numbers: Int32Array;
  /** Null where the query asks for the whole list in its order, which needs no flat table. */
  readonly index: IndexState | null;
}

export function findRows({ ledger, followed }: OpenTable, query: RowsQuery): FoundRows {
  const { run, table } = followed;
  const isOfPeople = query.table === 'people';
  const wanted = wantedBy(followed, query);
  const flat = isOfPeople ? table?.people : table?.rows;
  const all = () => Int32Array.from({ length: ledger.lists.size(run.listId) }, (_, at) => at + 1);
  return {
    run: run.id,
    hasPeople: run.hasPeople,
    numbers: wanted ? Int32Array.from(flat?.find(wanted) ?? []) : all(),
    index: wanted ? followed.state(isOfPeople) : null,
  };
}

/** The tables that are made of rows. */
export type RowsTable = 'companies' | 'people' | 'rejects';

/** Rows as records of tables, in the order in which they are asked for. */
export interface RecordsPage {
  readonly columns: readonly (readonly Column[])[];
  readonly records: readonly (readonly FlatRecord[])[];
}

/** The records of rows or people, with the list's own columns first, under their own headers. */
export function readRecords(
  { ledger, followed: { run, table } }: OpenTable,
  numbers: readonly number[],
  query: RowsQuery,
  tables: readonly RowsTable[],
): RecordsPage {
  const choice = { columns: query.columns ?? [], order: 'list-first' } as const;
  const views = tables.map((name) => viewTable(name, run.columns, choice));
  const sources =
    query.table === 'people'
      ? (table?.peopleAtLines(numbers) ?? []).map(({ record: person }) => ({ person }))
      : ledger.records
          .at(run, numbers)
          .map(({ record }) => ({ row: flattenRow(record, run.columns.length) }));
  return {
    columns: views.map(({ columns }) =>
      columns.map(({ name, path, type, description }) => ({ name, path, type, description })),
    ),
    records: views.map((view) =>
      sources.map((source) => view.record(source)).filter((record) => record !== undefined),
    ),
  };
}
