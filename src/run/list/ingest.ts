import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { listKinds } from '../../core/contract/identifier-kinds.ts';
import { DossierError } from '../../core/errors.ts';
import type { Reject } from '../../core/identify/identifier.ts';
import { identifyRow, type RowPlan } from '../../core/identify/identify-row.ts';
import { noCounts } from '../../core/rules/outcomes.ts';
import type { IdentifiedRow, RunQueue } from '../../engine/queue/run-queue.ts';
import type { Correction } from '../../job/corrections.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { guessProblem, type InputRow, sheetHint } from '../../lists/input-row.ts';
import type { OpenInput } from '../../lists/open-input.ts';
import { correctionsDigest, createCorrector } from './corrector.ts';
import { type EarlierRows, openNames, type RowToName, usesRegister } from './names.ts';
import { betterColumnNotes, namesHint, planColumns, requireColumn } from './plan-columns.ts';
import { createRowKeys, type KeyOfLastRun, type KeyPlan, keyNotes, planKey } from './row-keys.ts';

/** In a smaller sample, a column with rare repeats looks like a key. */
const keySampleRows = 1_000;
/** Larger transactions rewrite fewer index pages, but a signal waits for the end of one (0.2 s). */
const rowsInTransaction = 5_000;
const charactersInTransaction = 4 * 1024 * 1024;

export interface IngestOptions {
  readonly onIngest?: (rows: number, share: number | undefined) => void;
  readonly signal?: AbortSignal;
  readonly keyOfLastRun?: KeyOfLastRun;
  readonly corrections?: readonly Correction[] | undefined;
  /** What a register gave the rows of the last run. */
  readonly before?: EarlierRows | undefined;
  /** Nobody sees the close names of rows that are not kept, and each row needs 3 ms for them. */
  readonly isDraft?: boolean;
}

type Rows = Pick<
  OpenInput,
  'columns' | 'format' | 'sheet' | 'batches' | 'guessedEncoding' | 'sizeBytes' | 'bytesRead'
>;

/** Reads the whole list before any call, so the price is known and the file may change later. */
export async function ingest(
  queue: Pick<RunQueue, 'add' | 'counts'>,
  job: ResolvedJob,
  input: Rows,
  options: IngestOptions = {},
) {
  const fingerprint = createHash('sha256');
  const { maxRows = Number.POSITIVE_INFINITY } = job.input;
  const planRows = rowPlanner(job, input, options.keyOfLastRun);
  const keys = createRowKeys();
  const corrections = createCorrector(options.corrections ?? [], input.columns);
  let pending: InputRow[] = [];
  let text = '';
  let count = 0;
  let names: ReturnType<typeof openNames> | undefined;
  using _names = { [Symbol.dispose]: () => names?.[Symbol.dispose]() };
  let added = queue.counts();
  added.catch(() => {});

  const add = async () => {
    const { row: plan, key: keyPlan } = planRows(pending);
    if (!names && usesRegister(job, plan)) names = openNames(job, input.columns, options);
    const encoding = input.guessedEncoding();
    const rows = pending.map((row) => {
      const { number, cells, problem } = row;
      const read = readRow(
        number,
        row,
        plan,
        problem ?? guessProblem(row, plan.identify, encoding),
      );
      // The key comes from the original cells, so a corrected row keeps its key.
      const key = keys.keyOf(read, plan, keyPlan);
      const fixed = corrections.fix(key, cells, problem, plan);
      const corrected = fixed
        ? readRow(number, fixed, plan, guessProblem(row, fixed.asWritten, encoding))
        : read;
      const { text: said = '', ...decided } = names?.decide({ ...corrected, key }, plan) ?? {};
      text += said;
      const rowNow = { ...corrected, key, ...decided };
      return rowNow.reject ? { ...rowNow, candidates: [] } : rowNow;
    });
    fingerprint.update(text);
    // The queue's thread stores these rows while the next are read.
    await added;
    added = queue.add(rows);
    added.catch(() => {});
    count += pending.length;
    pending = [];
    text = '';
    const share = input.sizeBytes ? input.bytesRead() / input.sizeBytes : undefined;
    options.onIngest?.(count, share);
  };

  for await (const batch of input.batches) {
    for (const row of batch.slice(0, maxRows - count - pending.length)) {
      pending.push(row);
      text += `${JSON.stringify(row.cells)}\n`;
      if (pending.length < rowsInTransaction && text.length < charactersInTransaction) continue;
      await add();
      // Signals are handled only here, between two transactions.
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    if (count + pending.length >= maxRows) break;
  }
  await add();
  const { row: plan, key, notes } = planRows([], true);
  const applied = [...corrections.applied];
  // Different corrections make a different list.
  fingerprint.update(correctionsDigest(applied));
  return {
    counts: await added,
    inputSha256: fingerprint.digest('hex'),
    plan,
    keyColumns: key.columns.length === 0 && count > 0 ? null : key.columns,
    notes: [
      ...notes,
      ...keyNotes(key, options.keyOfLastRun, keys.repeats),
      ...(names?.notes() ?? []),
    ],
    registerSources: names?.sources ?? null,
    applied,
    missing: corrections.missing(),
    corrections: applied.length > 0 ? { applied: applied.length } : null,
  };
}

type NamedRow = Omit<IdentifiedRow, 'key'> & Pick<RowToName, 'named' | 'wrong'>;

function readRow(
  number: number,
  { cells }: Pick<InputRow, 'cells'>,
  plan: RowPlan,
  problem: string | undefined,
): NamedRow {
  if (problem !== undefined) {
    const reject = { reason: 'unreadable_row', message: problem };
    return { number, cells, country: undefined, candidates: [], reject };
  }
  const { country, candidates, reject, named, wrong } = identifyRow(cells, plan);
  return {
    number,
    cells,
    country,
    candidates: candidates.map(({ kind, value }) => [kind, value] as const),
    reject: rejectOf(reject),
    ...(named && country && { named, wrong: rejectOf(wrong) }),
  };
}

function rejectOf(found: Reject | undefined) {
  return found && { reason: found.reject, message: found.message };
}

export function lookAtRows(onRows: (rows: readonly IdentifiedRow[]) => void = () => {}) {
  const add = async (rows: readonly IdentifiedRow[]) => {
    onRows(rows);
    return noCounts();
  };
  return { add, counts: async () => noCounts() };
}

function rowPlanner(job: ResolvedJob, input: Rows, keyOfLastRun: KeyOfLastRun) {
  const { columns, format, sheet } = input;
  let sample: readonly InputRow[] | undefined;
  let plans: { readonly row: RowPlan; readonly key: KeyPlan; readonly notes: string[] } | undefined;
  let isComplete = false;
  return (batch: readonly InputRow[], isLast = false) => {
    if (plans && isComplete) return plans;
    sample ??= batch.slice(0, keySampleRows);
    const cells = sample.map((row) => row.cells);
    const isPartial = format === 'jsonl' && !isLast;
    const row = planColumns(job, columns, cells, isPartial);
    if (sample.length > 0 && !job.identify && row.identify.length === 0 && !row.name) {
      throw new DossierError(
        'COLUMNS_UNCLEAR',
        `no column seems to have ${listKinds('or', 's')}; the columns are: ${columns.join(', ')}.${namesHint(job.register)}${sheetHint(sheet)}`,
      );
    }
    // A key column set by the job may appear in later rows, so it is planned again.
    const known = plans?.key.foundBy === 'job' ? undefined : plans?.key;
    const key = known ?? planKey(job, columns, sample, row, keyOfLastRun);
    if (!isPartial) for (const column of job.input.key ?? []) requireColumn(job, column, columns);
    const { identify = [], country } = job;
    const found = row.identify.length + (row.name ? 1 : 0);
    const lacks = found < identify.length || (country.column && row.country.index === undefined);
    isComplete = !(isPartial && lacks) && !key.indexes.includes(-1);
    const notes = plans?.notes ?? betterColumnNotes(job, columns, cells, row);
    plans = { row, key, notes };
    return plans;
  };
}
