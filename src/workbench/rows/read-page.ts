import { DossierError } from '../../errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { ChangedSide } from '../../ledger/run-records.ts';
import { runName } from '../../ledger/runs/runs.ts';
import { flattenRow } from '../../records/flatten-row.ts';
import type { RowsPage, RowsQuery, TableColumns, TableRow } from '../api/rows.ts';
import { cutForTable, isCutForTable } from './cut-cell.ts';
import { isMismatch } from './index/entry.ts';
import type { RowFinder } from './index/find-rows.ts';
import type { FollowedRun } from './index/followed-run.ts';
import { changeBase } from './index/run-index.ts';
import { type PlacedColumn, presetsOf, sortBy, tableColumns } from './table-columns.ts';

/** A run whose table is open, with all that answers requests for it. */
export interface OpenTable {
  readonly ledger: Ledger;
  readonly followed: FollowedRun;
  /** Undefined where there is no index yet. */
  readonly finder: RowFinder | undefined;
}

const usualLimit = 100;

export function readColumns({ followed: { run } }: OpenTable): TableColumns {
  const columns = tableColumns(run.columns);
  return {
    run: runName(run),
    columns: columns.map(withoutPosition),
    presets: presetsOf(columns),
  };
}

/** A stretch of the table: by the ledger alone, or by the index where it is searched, narrowed or sorted. */
export function readPage(table: OpenTable, query: RowsQuery): RowsPage {
  const { ledger, followed } = table;
  const { run } = followed;
  const { offset = 0 } = query;
  const shown = shownColumns(tableColumns(run.columns), query.columns);
  const { all, total, numbers, foundAt } = numbersOf(table, query);
  const sides = ledger.records.at(run, numbers, () => {});
  const baseId = changeBase(ledger, run)?.id;
  return {
    ...{ run: runName(run), all, total, offset, foundAt, index: followed.state },
    columns: shown.map(withoutPosition),
    rows: sides.map((side) => {
      const flat = flattenRow(side.record, run.columns.length);
      const cut = shown.filter(({ position }) => isCutForTable(flat.cells[position] ?? null));
      return {
        ...rowFacts(side, baseId),
        cells: shown.map(({ position }) => cutForTable(flat.cells[position] ?? null)),
        ...(cut.length > 0 && { cut: cut.map(({ name }) => name) }),
      };
    }),
  };
}

/** The numbers of the rows in a stretch of the table, and how many there are in all. */
function numbersOf(table: OpenTable, query: RowsQuery) {
  const { ledger, followed } = table;
  const { offset = 0, limit = usualLimit, find = 0 } = query;
  const all = ledger.lists.size(followed.run.listId);
  const found = findNumbers(table, query);
  const numbers = found
    ? [...found.subarray(offset, offset + limit)]
    : range(offset, Math.min(offset + limit, all));
  const at = found ? found.indexOf(find) : find - 1;
  return { all, total: found?.length ?? all, numbers, foundAt: at < 0 || at >= all ? null : at };
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

/** The numbers of all rows that fit, in their order; undefined where that is the whole list in its own. */
export function findNumbers(
  { finder, followed }: OpenTable,
  query: RowsQuery,
): Int32Array | undefined {
  const { search = '', facets = {}, sort, descending = false } = query;
  const columns = tableColumns(followed.run.columns);
  const sorting = sort === undefined ? undefined : sortBy(columns, sort, descending);
  if (sort !== undefined && !sorting) {
    throw new DossierError('USAGE', `the table cannot be sorted by ${sort}`);
  }
  if (isWholeTable(query) && !sorting) return undefined;
  return finder ? finder.find({ search, facets, sort: sorting }) : new Int32Array();
}

/** Whether nothing is searched and nothing chosen. */
export function isWholeTable({ search = '', facets = {} }: RowsQuery): boolean {
  return search.trim() === '' && Object.values(facets).every((values) => values.length === 0);
}

function shownColumns(
  columns: readonly PlacedColumn[],
  wanted: readonly string[] = presetsOf(columns)[0]?.columns ?? [],
): PlacedColumn[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return wanted.flatMap((name) => byName.get(name) ?? []);
}

function withoutPosition({ position: _, ...column }: PlacedColumn) {
  return column;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at + 1);
}
