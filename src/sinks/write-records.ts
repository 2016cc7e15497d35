import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LargeRow, RowRange, RunRecords } from '../ledger/run-records.ts';
import type { RecordedChange } from '../records/columns/change-columns.ts';
import { batchesOfChanges, batchesOfPeople, batchOfRows } from '../records/record-batch.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { cutRanges } from './encode/cut-ranges.ts';
import {
  addCounts,
  type EncodedBatch,
  type EncodePlan,
  noRecords,
  openBatchEncoder,
} from './encode/encode-batch.ts';
import type { StoredRun } from './encode/encode-thread.ts';
import { openEncodeThread } from './encode/open-encode-thread.ts';
import { shareRanges } from './encode/share-ranges.ts';
import { formats } from './files/formats.ts';
import type { RecordCounts } from './manifest.ts';
import type { Sink } from './sink.ts';

/** The records of a run, and where to find them. */
export interface RecordSource {
  readonly records: RunRecords;
  /** Rows are numbered from 1 to this. */
  readonly rowCount: number;
  /** What differs from an earlier run; absent where there is none to compare with. */
  readonly changes?: Iterable<RecordedChange> | undefined;
  /** Rows with large answers, in their order. */
  readonly largeRows?: readonly LargeRow[];
  /** Where a second thread finds the rows. */
  readonly stored?: StoredRun & {
    readonly onDamage: (answerId: number) => void;
    /** A second thread that takes its share of the encoding. */
    readonly thread?: Thread | undefined;
  };
}

/** The part of a sink that takes records. */
type RecordSink = Pick<Sink, 'name' | 'write'>;

/** Writes every row, in the order of the input, then people and changes, each batch to all sinks. */
export async function writeRecords(
  source: RecordSource,
  sinks: readonly RecordSink[],
  plan: EncodePlan,
  signal?: AbortSignal,
): Promise<RecordCounts> {
  const counts = noRecords();
  let writing: Promise<unknown> = Promise.resolve();
  for await (const batch of encodedBatches(source, plan)) {
    signal?.throwIfAborted();
    addCounts(counts, batch.counts);
    // While one batch goes to the disk, the next is encoded.
    await writing;
    writing = Promise.all(sinks.map((sink) => sink.write(batch.parts[sink.name])));
    // A failure is thrown before the next batch is written, or at the end.
    writing.catch(() => {});
  }
  await writing;
  return counts;
}

async function* encodedBatches(
  { records, rowCount, largeRows, stored, changes = [] }: RecordSource,
  plan: EncodePlan,
): AsyncGenerator<EncodedBatch> {
  const encode = openBatchEncoder(plan);
  const encodeHere = (range: RowRange) =>
    encode(batchOfRows(records.rows(range), plan.headers.length));
  const ranges = cutRanges(rowCount, largeRows);
  if (stored?.thread && areLines(plan)) {
    const { ledger, run, onDamage, thread } = stored;
    await using aside = openEncodeThread(thread, { ledger, run, plan }, onDamage);
    yield* shareRanges(ranges, encodeHere, aside.encode);
  } else {
    yield* shareRanges(ranges, encodeHere);
  }
  const people = records.hasPeople ? batchesOfPeople(records.people(), plan.names) : [];
  for (const batch of people) {
    yield encode(batch);
    await nextTurn();
  }
  for (const batch of batchesOfChanges(changes)) {
    yield encode(batch);
    await nextTurn();
  }
}

/** Only a file of lines can be made of parts that were encoded apart. */
function areLines({ files }: EncodePlan): boolean {
  return files.every(({ format }) => formats[format].isLines);
}
