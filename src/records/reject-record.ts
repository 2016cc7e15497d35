import type { RowRecord } from '../ledger/run-records.ts';
import { type Column, type FlatRecord, rejectColumns } from './columns/columns.ts';
import { makeUnique } from './columns/snake-case.ts';

/**
 * The columns of rejects.*: the input's own first, under their own names and in their own places,
 * so that the mended file can be run as it is; then ours. Where the input has a `status` itself,
 * as a rejects file that is run again does, ours is `status_2`.
 */
export function rejectRecordColumns(headers: readonly string[]): Column[] {
  const ours = makeUnique(
    rejectColumns.map(({ name }) => name),
    headers,
  );
  return [
    ...headers.map((name) => ({
      name,
      path: [],
      type: 'text' as const,
      description: `Column \`${name}\` of the input.`,
    })),
    ...rejectColumns.map((column, index) => ({ ...column, name: ours[index] ?? column.name })),
  ];
}

/** JSONL and Parquet cannot hold two columns of one name, nor one without a name. */
export function nameEveryColumn(columns: readonly Column[]): Column[] {
  const names = columns.map(({ name }, index) => name || `column_${index + 1}`);
  const unique = makeUnique(names);
  return columns.map((column, index) => ({ ...column, name: unique[index] ?? column.name }));
}

export function toRejectRecord(row: RowRecord, inputWidth: number): FlatRecord {
  const input = Array.from({ length: inputWidth }, (_, index) => row.cells[index] ?? null);
  return [...input, row.number, row.status, row.reason, row.message];
}

/** A row whose answer was damaged in the ledger is no match either: the status decides. */
export function isReject(row: RowRecord): boolean {
  return row.status !== 'matched';
}
