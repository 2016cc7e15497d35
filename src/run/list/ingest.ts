import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import type { OpenInput } from '../../input/open-input.ts';
import type { Correction } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { RunQueue } from '../../queue/run-queue.ts';
import type { CorrectionCounts, Counts } from '../../rules/outcomes.ts';
import { correctionsDigest, openCorrections } from './apply-corrections.ts';
import { identifyInputRow, type ListPlans } from './identify-input-row.ts';
import { openRowKeys } from './key/open-row-keys.ts';
import { type KeyOfLastRun, type KeyPlan, planKey, requireKey } from './key/plan-key.ts';
import { planColumns, planColumnsSoFar } from './plan-columns.ts';

/** Enough to see what the columns hold. */
const sampleRows = 200;
/** More, because a column that repeats seldom is no key. */
const keySampleRows = 1_000;
/**
 * Each transaction writes nearly all pages of the indexes that it touches, so few large ones write
 * less than half as much. They take a fifth of a second, in which no signal is heard.
 */
const rowsInTransaction = 5_000;
/** Bounds the memory that wide rows take. */
const charactersInTransaction = 4 * 1024 * 1024;

export interface IngestOptions {
  readonly onProgress?: (rows: number, share: number | undefined) => void;
  /** Hears how far a list at an address has come, before its first row is read. */
  readonly onReceived?: ((bytes: number, ofBytes: number | undefined) => void) | undefined;
  readonly signal?: AbortSignal;
}

/** A list that is read in. */
export interface IngestedList {
  readonly counts: Counts;
  readonly inputSha256: string;
  readonly plan: RowPlan;
  /** The columns of the row keys; null where hashes are the keys, empty where there was no row to tell by. */
  readonly keyColumns: readonly string[] | null;
  /** What people should know of the keys. */
  readonly notes: readonly string[];
  /** The corrections that have applied to its rows, in their order. */
  readonly applied: readonly Correction[];
  /** The corrections whose rows it does not have. */
  readonly missing: readonly Correction[];
  /** Null where there are no corrections. */
  readonly corrections: CorrectionCounts | null;
}

/** What is known beforehand of a list that is read in. */
export interface KnownOfList {
  readonly keyOfLastRun?: KeyOfLastRun;
  readonly corrections?: readonly Correction[];
}

/**
 * Reads the whole list into the queue, once: rows, their identifiers and the calls they need. So the
 * price is known before the first call, and the file may change or vanish afterwards.
 */
export async function ingest(
  queue: Pick<RunQueue, 'add' | 'counts'>,
  job: ResolvedJob,
  input: OpenInput,
  options: IngestOptions & KnownOfList = {},
): Promise<IngestedList> {
  const fingerprint = createHash('sha256');
  const { maxRows = Number.POSITIVE_INFINITY } = job.input;
  const planRows = rowPlanner(job, input, options.keyOfLastRun);
  const keys = openRowKeys();
  const { corrections: kept = [] } = options;
  const corrections = openCorrections(kept, input.columns);
  let pending: InputRow[] = [];
  let text = '';
  let count = 0;
  let added = queue.counts();
  added.catch(() => {});

  const add = async () => {
    const plans = planRows(pending);
    fingerprint.update(text);
    const encoding = input.guessedEncoding();
    const rows = pending.map((row) =>
      identifyInputRow(row, plans, { keys, encoding, corrections }),
    );
    // The next rows are read while these are stored, where the queue has a thread of its own.
    await added;
    added = queue.add(rows);
    added.catch(() => {});
    count += pending.length;
    pending = [];
    text = '';
    const share = input.sizeBytes ? input.bytesRead() / input.sizeBytes : undefined;
    options.onProgress?.(count, share);
  };

  for await (const batch of input.batches) {
    for (const row of batch.slice(0, maxRows - count - pending.length)) {
      pending.push(row);
      text += `${JSON.stringify(row.cells)}\n`;
      if (pending.length < rowsInTransaction && text.length < charactersInTransaction) continue;
      await add();
      // A batch may hold many transactions, and only between turns a signal is heard.
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    if (count + pending.length >= maxRows) break;
  }
  await add();
  const { row: plan, key } = planRows([], { isLast: true });
  const { applied } = corrections;
  // A list that is mended otherwise is another list.
  if (applied.length > 0) fingerprint.update(correctionsDigest(applied));
  return {
    counts: await added,
    inputSha256: fingerprint.digest('hex'),
    plan,
    keyColumns: key.columns.length === 0 && count > 0 ? null : key.columns,
    notes: keys.notes(key, options.keyOfLastRun),
    applied,
    missing: corrections.missing(),
    corrections: corrections.counts(count < maxRows),
  };
}

const nothing: Counts = {
  rows: { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 },
  calls: { called: 0, reused: 0, joined: 0, open: 0, failed: 0, shared: 0 },
  stale: 0,
  people: 0,
  failedSearches: 0,
  incompleteSearches: 0,
};

/** For rows that are read to be looked at, and go nowhere. */
export const noQueue = { add: async () => nothing, counts: async () => nothing };

/** Plans the columns when the first rows are there, or when it is sure that there are none. */
function rowPlanner(
  job: ResolvedJob,
  { columns, format, sheet }: OpenInput,
  keyOfLastRun: KeyOfLastRun,
) {
  let sample: readonly InputRow[] | undefined;
  let plans: ListPlans | undefined;
  let key: KeyPlan | undefined;
  let isComplete = false;
  return (batch: readonly InputRow[], { isLast = false } = {}): ListPlans => {
    if (plans && isComplete) return plans;
    sample ??= batch.slice(0, keySampleRows);
    const cells = sample.slice(0, sampleRows).map((row) => row.cells);
    const isWhole = format !== 'jsonl' || isLast;
    const planned = isWhole
      ? { plan: planColumns(job, columns, cells, sheet), isComplete: true }
      : planColumnsSoFar(job, columns, cells);
    const row = planned.plan;
    // A key that was found stays the key of all rows; one that the job names may be seen later.
    if (!key || key.foundBy === 'job') key = planKey(job, columns, sample, row, keyOfLastRun);
    if (isWhole) requireKey(job, columns);
    isComplete = planned.isComplete && !key.indexes.includes(-1);
    plans = { row, key };
    return plans;
  };
}
