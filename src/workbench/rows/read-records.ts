import type { ChangedSide } from '../../ledger/run-records.ts';
import type { Column, FlatRecord } from '../../records/columns.ts';
import { companiesColumns, type FlatRow, flattenRow } from '../../records/flatten-row.ts';
import { viewTable } from '../../records/table-view.ts';
import type { IndexState, RowsQuery } from '../api/rows.ts';
import { entryMaker, fitTest } from './index/entry.ts';
import { changeBase } from './index/run-index.ts';
import { findNumbers, isWholeTable, type OpenTable } from './read-page.ts';

/** Which rows of a run a query asks for. */
export interface FoundRows {
  readonly run: number;
  /** Whether its job searches people. */
  readonly hasPeople: boolean;
  readonly numbers: Int32Array;
  /** Null where the query asks for the whole list in its order, which needs no index. */
  readonly index: IndexState | null;
}

export function findRows(table: OpenTable, query: RowsQuery): FoundRows {
  const { ledger, followed } = table;
  const found = findNumbers(table, query);
  const all = () =>
    Int32Array.from({ length: ledger.lists.size(followed.run.listId) }, (_, at) => at + 1);
  return {
    run: followed.run.id,
    hasPeople: followed.run.hasPeople,
    numbers: found ?? all(),
    index: found ? followed.state : null,
  };
}

/** The tables that are made of rows. */
export type RowsTable = 'companies' | 'rejects';

/** Rows as records of tables, in the order in which they are asked for. */
export interface RecordsPage {
  readonly columns: readonly (readonly Column[])[];
  readonly records: readonly (readonly FlatRecord[])[];
}

/**
 * The records of rows, with the list's own columns first, under their own headers. A run that goes on may
 * have changed rows since they were found: those that do not fit any more are left out.
 */
export function readRecords(
  { ledger, followed: { run } }: OpenTable,
  numbers: readonly number[],
  query: RowsQuery,
  tables: readonly RowsTable[],
): RecordsPage {
  const choice = { columns: query.columns ?? [], order: 'list-first' } as const;
  const views = tables.map((table) => viewTable(table, run.columns, choice));
  const baseId = changeBase(ledger, run)?.id ?? Number.POSITIVE_INFINITY;
  const fits = isWholeTable(query) ? () => true : rowTest(run.columns, query, baseId);
  const rows = ledger.records
    .at(run, numbers, () => {})
    .flatMap((side) => {
      const flat = flattenRow(side.record, run.columns.length);
      return fits(side, flat) ? [flat] : [];
    });
  return {
    columns: views.map(({ columns }) =>
      columns.map(({ name, path, type, description }) => ({ name, path, type, description })),
    ),
    records: views.map((view) =>
      rows.map((row) => view.record({ row })).filter((record) => record !== undefined),
    ),
  };
}

function rowTest(
  headers: readonly string[],
  { search = '', facets = {} }: RowsQuery,
  base: number,
) {
  const makeEntry = entryMaker(companiesColumns(headers));
  const fits = fitTest(search, facets);
  return ({ changedRun }: ChangedSide, flat: FlatRow) =>
    fits(makeEntry(flat, headers.length, (changedRun ?? 0) > base));
}
