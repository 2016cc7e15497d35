import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { identifyRow, type RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import type { OpenInput } from '../../input/open-input.ts';
import { guessProblem } from '../../input/reading-notes.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { IdentifiedRow, RunQueue } from '../../queue/run-queue.ts';
import type { Counts } from '../../rules/outcomes.ts';
import { planColumns, planColumnsSoFar } from './plan-columns.ts';

/** Enough to see what the columns hold. */
const sampleRows = 200;
/**
 * Each transaction writes nearly all pages of the indexes that it touches, so few large ones write
 * less than half as much. They take a fifth of a second, in which no signal is heard.
 */
const rowsInTransaction = 5_000;
/** Bounds the memory that wide rows take. */
const charactersInTransaction = 4 * 1024 * 1024;

export interface IngestOptions {
  readonly onProgress?: (rows: number, share: number | undefined) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads the whole list into the queue, once: rows, their identifiers and the calls they need. So the
 * price is known before the first call, and the file may change or vanish afterwards.
 */
export async function ingest(
  queue: RunQueue,
  job: ResolvedJob,
  input: OpenInput,
  options: IngestOptions = {},
): Promise<{ counts: Counts; inputSha256: string; plan: RowPlan }> {
  const fingerprint = createHash('sha256');
  const { maxRows = Number.POSITIVE_INFINITY } = job.input;
  const planRows = rowPlanner(job, input);
  let pending: InputRow[] = [];
  let text = '';
  let count = 0;
  let added = queue.counts();
  added.catch(() => {});

  const add = async () => {
    const plan = planRows(pending);
    fingerprint.update(text);
    const encoding = input.guessedEncoding();
    const rows = pending.map((row) => identify(row, plan, encoding));
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
  const plan = planRows([], { isLast: true });
  return { counts: await added, inputSha256: fingerprint.digest('hex'), plan };
}

/** Plans the columns when the first rows are there, or when it is sure that there are none. */
function rowPlanner(job: ResolvedJob, { columns, format, sheet }: OpenInput) {
  let sample: InputRow['cells'][] | undefined;
  let plan: RowPlan | undefined;
  let isComplete = false;
  return (batch: readonly InputRow[], { isLast = false } = {}): RowPlan => {
    if (plan && isComplete) return plan;
    sample ??= batch.slice(0, sampleRows).map(({ cells }) => cells);
    if (format !== 'jsonl' || isLast) {
      plan = planColumns(job, columns, sample, sheet);
      isComplete = true;
    } else ({ plan, isComplete } = planColumnsSoFar(job, columns, sample));
    return plan;
  };
}

function identify(row: InputRow, plan: RowPlan, guessed: string | undefined): IdentifiedRow {
  const { number, cells } = row;
  const problem = row.problem ?? guessProblem(row, plan.identify, guessed);
  const identity = problem === undefined ? identifyRow(cells, plan) : undefined;
  const country = identity?.country;
  if (identity && !identity.reject && identity.candidates.length > 0 && country) {
    const candidates = identity.candidates.map(({ kind, value }) => [kind, value] as const);
    return { number, key: String(number), cells, country, candidates };
  }
  const reject = {
    reason: identity?.reject?.reject ?? 'unreadable_row',
    message: identity?.reject?.message ?? problem ?? '',
  };
  return { number, key: String(number), cells, country, candidates: [], reject };
}
