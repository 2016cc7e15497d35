import type { RowRecord } from '../ledger/run-records.ts';
import type { FlatRecord } from '../records/columns/columns.ts';
import { isReject, toRejectRecord } from '../records/reject-record.ts';
import { flattenRow } from '../records/row-record.ts';
import type { RowCounts } from './manifest.ts';
import type { RunTallying } from './tally/run-tally.ts';

export interface ShownRow {
  readonly record: FlatRecord;
  /** Undefined where the row has a company. */
  readonly reject: FlatRecord | undefined;
}

/** What the files hold of a row. Every row of an export passes here once, in whatever thread. */
export function showRow(
  row: RowRecord,
  inputWidth: number,
  counts: RowCounts,
  tally: RunTallying,
): ShownRow {
  counts.rows += 1;
  counts[row.status] += 1;
  const flat = flattenRow(row, inputWidth);
  tally.addRow(row, flat);
  return {
    record: flat.cells,
    reject: isReject(row) ? toRejectRecord(row, inputWidth) : undefined,
  };
}

export function noRows(): RowCounts {
  return { rows: 0, matched: 0, not_found: 0, invalid: 0, failed: 0, people: 0 };
}

export function addCounts(counts: RowCounts, others: RowCounts): void {
  for (const key of Object.keys(counts) as (keyof RowCounts)[]) counts[key] += others[key];
}
