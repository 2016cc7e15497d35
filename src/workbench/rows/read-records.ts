import { runName } from '../../ledger/runs/runs.ts';
import type { Column, FlatRecord } from '../../records/columns/columns.ts';
import { flattenRow } from '../../records/flatten-row.ts';
import { viewTable } from '../../records/table-view.ts';
import type { IndexState, RowsQuery } from '../api/rows.ts';
import { numbersOf, type OpenTable } from './read-page.ts';

/** A stretch of the table as records of a file. */
export interface RecordsPage {
  /** `r7` */
  readonly run: string;
  readonly index: IndexState;
  /** Rows that fit. */
  readonly total: number;
  readonly columns: readonly Column[];
  readonly records: readonly FlatRecord[];
}

/** The rows that a query asks for, with the list's own columns first, under their own headers. */
export function readRecords(table: OpenTable, query: RowsQuery): RecordsPage {
  const { ledger, followed } = table;
  const { run } = followed;
  const { total, numbers } = numbersOf(table, query);
  const view = viewTable('companies', run.columns, {
    columns: query.columns ?? [],
    order: 'list-first',
  });
  const rows = ledger.records
    .at(run, numbers, () => {})
    .map(({ record }) => flattenRow(record, run.columns.length));
  return {
    ...{ run: runName(run), index: followed.state },
    total,
    columns: view.columns.map(({ name, path, type, description }) => ({
      ...{ name, path, type, description },
    })),
    records: view.records({ rows, people: [], changes: [] }),
  };
}
