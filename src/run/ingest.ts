import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CompanyCall } from '../contract/call.ts';
import { identifyRow, type RowPlan } from '../identify/identify-row.ts';
import type { InputRow } from '../input/input-row.ts';
import type { OpenInput } from '../input/open-input.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { NewRow } from '../ledger/rows.ts';
import { planColumns, planColumnsSoFar } from './plan-columns.ts';
import type { RunContext } from './run-context.ts';
import { wantCalls } from './want-call.ts';

/** Enough to see what the columns hold. */
const sampleRows = 200;
/**
 * Each transaction writes nearly all pages of the indexes that it touches, so few large ones write
 * less than half as much. Nobody hears a signal meanwhile; these take a fifth of a second.
 */
const rowsInTransaction = 5_000;
/** Of wide rows fewer, so that they do not pile up. */
const charactersInTransaction = 4 * 1024 * 1024;

export interface IngestOptions {
  readonly onProgress?: (rows: number, share: number | undefined) => void;
  readonly signal?: AbortSignal;
}

/**
 * Reads the whole input into the ledger, once: rows, their identifiers and the calls they need. So
 * the price is known before the first call, and the input may change or vanish afterwards.
 */
export async function ingest(
  context: RunContext,
  input: OpenInput,
  options: IngestOptions = {},
): Promise<void> {
  const { ledger, run, job, counts } = context;
  const fingerprint = createHash('sha256');
  const { maxRows = Number.POSITIVE_INFINITY } = job.input;
  const planRows = rowPlanner(job, input);
  let pending: InputRow[] = [];
  let text = '';
  let count = 0;

  const store = () => {
    const plan = planRows(pending);
    fingerprint.update(text);
    const rows = pending.map((row) => askFor(row, plan));
    ledger.provisionally(() => addRows(context, rows));
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
      store();
      // A batch may hold many transactions, and only between turns a signal is heard.
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    if (count + pending.length >= maxRows) break;
  }
  store();
  planRows([], { isLast: true });
  const inputSha256 = fingerprint.digest('hex');
  counts.rows.open = count - counts.rows.invalid;
  ledger.together(() => {
    ledger.runs.completeIngest(run, { columns: input.columns, inputSha256 });
    ledger.progress.put(run.id, counts);
  });
}

/** Columns are looked at when there are rows to look at, or when there will be none. */
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

/** A row as it was read, with what it asks for. */
interface AskingRow extends Pick<NewRow, 'country' | 'candidates' | 'reject'> {
  readonly row: InputRow;
  readonly call?: CompanyCall;
}

function askFor(row: InputRow, plan: RowPlan): AskingRow {
  const identity = row.problem === undefined ? identifyRow(row.cells, plan) : undefined;
  const country = identity?.country;
  const [first] = identity?.candidates ?? [];
  if (identity && !identity.reject && first && country) {
    const call = { operation: 'company', identifier: first, country } as const;
    const candidates = identity.candidates.map(({ kind, value }) => [kind, value] as const);
    return { row, country, candidates, call };
  }
  const reject = {
    reason: identity?.reject?.reject ?? 'unreadable_row',
    message: identity?.reject?.message ?? row.problem ?? '',
  };
  return { row, country, candidates: [], reject };
}

function addRows(context: RunContext, asking: readonly AskingRow[]): void {
  const { ledger, run, counts } = context;
  const calls = asking.flatMap(({ call }) => call ?? []);
  const callIds = wantCalls(context, calls);
  let next = 0;
  const rows = asking.map(({ row, call, ...asks }): NewRow => {
    const { number, line, cells } = row;
    const callId = call ? (callIds[next++] ?? null) : null;
    return { runId: run.id, number, line, cells, callId, ...asks };
  });
  ledger.rows.add(rows);
  counts.rows.invalid += rows.filter(({ reject }) => reject).length;
}
