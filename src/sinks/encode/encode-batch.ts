import type { RecordBatch } from '../../records/record-batch.ts';
import type { RecordCounts } from '../manifest.ts';
import type { Encoder } from '../sink.ts';

/** A batch as all sinks of an export take it. */
export interface EncodedBatch {
  readonly counts: RecordCounts;
  /** By the name of the sink. */
  readonly parts: Readonly<Record<string, unknown>>;
}

export function encodeBatch(encoders: readonly Encoder[], batch: RecordBatch): EncodedBatch {
  const counts = { ...noRecords(), rows: batch.rows.length, people: batch.people.length };
  for (const { row } of batch.rows) counts[row.status] += 1;
  const parts: Record<string, unknown> = {};
  for (const { name, encode } of encoders) parts[name] = encode(batch);
  return { counts, parts };
}

export function noRecords(): RecordCounts {
  return { rows: 0, matched: 0, not_found: 0, invalid: 0, failed: 0, people: 0 };
}

export function addCounts(counts: RecordCounts, others: RecordCounts): void {
  for (const key of Object.keys(counts) as (keyof RecordCounts)[]) counts[key] += others[key];
}
