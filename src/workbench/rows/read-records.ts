import type { ChangedSide } from '../../ledger/run-records.ts';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import { companiesColumns, type FlatRow, flattenRow } from '../../records/flatten-row.ts';
import { viewTable } from '../../records/table-view.ts';
import type { IndexState, RowsQuery } from '../api/rows.ts';
import { entryMaker, fitTest } from './index/entry.ts';
import { changeBase } from './index/run-index.ts';
import { findNumbers, isWholeTable, type OpenTable } from './read-page.ts';

/** Which rows of a run a query asks for. */
export interface FoundRows {
  readonly run: number;
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
    numbers: found ?? all(),
    index: found ? followed.state : null,
  };
}

/** Rows as records of a file. */
export interface RecordsPage {
  readonly columns: readonly Column[];
  readonly records: readonly FlatRecord[];
}

/**
 * The records of rows, with the list's own columns first, under their own headers. A run that goes on may
 * have changed rows since they were found: those that do not fit any more are left out.
 */
export function readRecords(
  { ledger, followed: { run } }: OpenTable,
  numbers: readonly number[],
  query: RowsQuery,
): RecordsPage {
  const view = viewTable('companies', run.columns, {
    columns: query.columns ?? [],
    order: 'list-first',
  });
  const baseId = changeBase(ledger, run)?.id ?? Number.POSITIVE_INFINITY;
  const fits = isWholeTable(query) ? () => true : rowTest(run.columns, query, baseId);
  const rows = ledger.records
    .at(run, numbers, () => {})
    .flatMap((side) => {
      const flat = flattenRow(side.record, run.columns.length);
      return fits(side, flat) ? [flat] : [];
    });
  return {
    columns: view.columns.map(({ name, path, type, description }) => ({
      ...{ name, path, type, description },
    })),
    records: view.records({ rows, people: [], changes: [] }),
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
