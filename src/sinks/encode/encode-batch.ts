import type { ReferenceNames } from '../../contract/reference.ts';
import { type ChangeOp, noChanges } from '../../records/changes/change.ts';
import type { RecordBatch } from '../../records/record-batch.ts';
import { viewTable } from '../../records/table-view.ts';
import { type EncodeOptions, formats } from '../files/formats.ts';
import type { RecordFile } from '../files/record-file.ts';
import type { RecordCounts } from '../manifest.ts';
import { type CopiedTable, copyName, openCopyEncoder } from '../postgres/copy/copied-table.ts';
import { openBatchTally, tallyName } from '../tally/run-tally.ts';

/** What to encode of a run, as plain data: both threads open the same encoder from it. */
export interface EncodePlan {
  /** Names of the input's columns. */
  readonly headers: readonly string[];
  readonly files: readonly RecordFile[];
  /** Tables that are copied to PostgreSQL. */
  readonly copied?: readonly CopiedTable[];
  /** What the job calls the ids of people searches. */
  readonly names: ReferenceNames;
  readonly options: EncodeOptions;
  /** Whether what the report says of all records is folded too. */
  readonly isTallied: boolean;
}

/** A batch as all sinks of an export take it. */
export interface EncodedBatch {
  readonly counts: RecordCounts;
  /** By the name of the sink. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** Gives the function that encodes batches for every sink, in either thread. */
export function openBatchEncoder(plan: EncodePlan): (batch: RecordBatch) => EncodedBatch {
  const { headers, files, copied = [], options, isTallied } = plan;
  const fileEncoders = files.map(({ name, tables, format, choice }) => {
    const views = tables.map((table) => viewTable(table, headers, choice));
    const encode = formats[format].encoder(views, options);
    return {
      name,
      encode: (batch: RecordBatch) => encode(views.map(({ records }) => records(batch))),
    };
  });
  const copyEncoders = copied.map((table) => ({
    name: copyName(table),
    encode: openCopyEncoder(table, headers) as (batch: RecordBatch) => unknown,
  }));
  const encoders = [...fileEncoders, ...copyEncoders];
  if (isTallied) encoders.push({ name: tallyName, encode: openBatchTally() });
  return (batch) => ({
    counts: countsOf(batch),
    parts: Object.fromEntries(encoders.map(({ name, encode }) => [name, encode(batch)])),
  });
}

export function noRecords(): RecordCounts {
  const rows = { rows: 0, matched: 0, not_found: 0, invalid: 0, failed: 0, open: 0, stale: 0 };
  return { ...rows, people: 0, changes: noChanges() };
}

export function addCounts(counts: RecordCounts, others: RecordCounts): void {
  const { changes, ...records } = others;
  for (const key of Object.keys(records) as (keyof typeof records)[]) counts[key] += records[key];
  for (const op of Object.keys(changes) as ChangeOp[]) counts.changes[op] += changes[op];
}

function countsOf({ rows, people, changes }: RecordBatch): RecordCounts {
  const counts = { ...noRecords(), rows: rows.length, people: people.length };
  for (const { row } of rows) {
    counts[row.status] += 1;
    if (row.isStale) counts.stale += 1;
  }
  for (const { op } of changes) counts.changes[op] += 1;
  return counts;
}
