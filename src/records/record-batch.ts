import type { ReferenceNames } from '../contract/reference.ts';
import type { RowRecord, RunRecords } from '../ledger/run-records.ts';
import type { RecordedChange } from './columns/change-columns.ts';
import type { FlatRecord } from './columns/columns.ts';
import { type FlatRow, flattenRow } from './flatten-row.ts';
import { mergePeople } from './merge-people.ts';

/** Some rows of a run, the people of some of its companies, or changes since an earlier one. */
export interface RecordBatch {
  readonly rows: readonly FlatRow[];
  readonly people: readonly FlatRecord[];
  readonly changes: readonly RecordedChange[];
}

const none: RecordBatch = { rows: [], people: [], changes: [] };

export function batchOfRows(rows: Iterable<RowRecord>, inputWidth: number): RecordBatch {
  return { ...none, rows: Array.from(rows, (row) => flattenRow(row, inputWidth)) };
}

/** One row, the people of one company, or one change at a time: records that wait cost the garbage collector. */
export function* batchesOfRun(
  records: RunRecords,
  changes: Iterable<RecordedChange>,
  names: ReferenceNames,
): Generator<RecordBatch> {
  const { people, changes: noChanges } = none;
  const width = records.inputColumns.length;
  for (const row of records.rows()) {
    yield { rows: [flattenRow(row, width)], people, changes: noChanges };
  }
  if (records.hasPeople) {
    for (const company of records.people()) yield { ...none, people: mergePeople(company, names) };
  }
  for (const change of changes) yield { ...none, changes: [change] };
}
