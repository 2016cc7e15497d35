import { type OpenInput, openInput } from '../input/open-input.ts';
import { jobFingerprint, verdictTerms } from '../job/job-fingerprint.ts';
import type { Correction } from '../job/mended/correction.ts';
import { readCorrections } from '../job/mended/corrections-file.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import type { JobRuns } from '../queue/job/job-runs.ts';
import { RowsChangedError } from '../queue/job/rows-again.ts';
import type { QueueTerms } from '../queue/queue-state.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { InputStamp } from '../rules/resume.ts';
import type { Clock } from '../runtime/clock.ts';
import { affordableAttempts } from './calls/request-budget.ts';
import { correctionNotes } from './list/apply-corrections.ts';
import { columnNotes, nameNotes } from './list/column-notes.ts';
import { type IngestOptions, ingest } from './list/ingest.ts';
import { stampInput, stampMended } from './list/stamp-input.ts';

/** A run whose list is in the ledger, and its queue. */
export interface OpenRun {
  readonly run: Run;
  readonly queue: RunQueue;
  readonly counts: Counts;
  readonly isResumed: boolean;
  /** What was guessed to read the list; nothing where a run is resumed, which reads none. */
  readonly notes: readonly string[];
}

export interface ReadingOptions extends IngestOptions {
  readonly clock: Clock;
  /** In place of those that are kept, to see what they would do. */
  readonly corrections?: readonly Correction[];
}

/** Goes on with the unfinished run of a job, or begins one over its list. */
export async function openRun(
  runs: RunsToOpen,
  job: ResolvedJob,
  { clock, corrections = readCorrections(job.corrections), ...options }: ReadingOptions,
): Promise<OpenRun> {
  const startedAt = clock.wallMs();
  const fingerprint = jobFingerprint(job);
  const findUnfinished = (stamp: InputStamp) =>
    runs.findUnfinished({ jobFingerprint: fingerprint, input: stamp }, startedAt);
  const finished = job.input.address && runs.findFinished(fingerprint);
  // Where the list counts as gone, any unfinished run will do.
  const findRead = () => findUnfinished({ kind: 'gone' }) ?? finished;
  const input = stampMended(await stampInput(job.input, findRead, options.signal), corrections);
  const stamp = input.kind === 'file' ? input.stamp : null;
  const start = { jobFingerprint: fingerprint, corrections, startedAt, stamp };
  const unfinished = findUnfinished(input);
  if (unfinished) return await resumeRun(runs, unfinished, start);
  const isRead = finished && stamp !== null && finished.inputStamp === stamp;
  const { signal } = options;
  const again = isRead ? await startAgain(runs, job, start, { last: finished, signal }) : undefined;
  return again ?? (await startRun(runs, job, start, options));
}

type RunsToOpen = Omit<JobRuns, 'ledger' | 'finish' | 'prune' | 'isServiceProven' | 'beginCalling'>;

/** What is known of a run when a process begins or takes it up. */
interface Start {
  readonly jobFingerprint: string;
  readonly startedAt: number;
  /** Null for a pipe. */
  readonly stamp: string | null;
  readonly corrections: readonly Correction[];
}

async function resumeRun(
  runs: RunsToOpen,
  unfinished: Run,
  { startedAt, stamp }: Start,
  notes: readonly string[] = [],
): Promise<OpenRun> {
  const run = await runs.resume(unfinished, { startedAt, inputStamp: stamp });
  const queue = await runs.open(run);
  const told = notes.length > 0 ? notes : correctionNotes(run.corrections, run.corrections);
  return { run, queue, counts: await queue.counts(), isResumed: true, notes: told };
}

async function startRun(
  runs: RunsToOpen,
  job: ResolvedJob,
  start: Start,
  options: IngestOptions,
): Promise<OpenRun> {
  const place = job.input.address ?? job.input.path;
  await using input = await openInput(place, job.input.options, options);
  const stamp = stampOf(input.stamp, start);
  const run = await runs.start(newRun(job, { ...start, stamp }, input));
  const queue = await runs.open(run);
  try {
    const keyOfLastRun = runs.keyOfLastRun(job.input.path);
    const known = { keyOfLastRun, corrections: start.corrections };
    const read = await ingest(queue, job, input, { ...options, ...known });
    const { counts, inputSha256, keyColumns, corrections } = read;
    const notes = [
      ...input.notes(),
      ...columnNotes(job, input.columns, read.plan),
      ...nameNotes(input.columns),
      ...read.notes,
      ...correctionNotes(corrections, runs.correctionsOfLastRun(job.input.path)),
    ];
    const list = { columns: input.columns, keyColumns, corrections, inputSha256 };
    const same = runs.findSameList(
      { ...list, jobFingerprint: start.jobFingerprint },
      start.startedAt,
    );
    if (same) {
      // The list was only touched, or piped in again: what was read of it before has its answers.
      await queue[Symbol.asyncDispose]();
      await runs.dropRead();
      return await resumeRun(runs, same, { ...start, stamp }, notes);
    }
    const complete = await runs.completeList(run, list);
    return { run: complete, queue, counts, isResumed: false, notes };
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Begins a run over the list that the last one has read: its rows are in the ledger as they were identified. Undefined
 * where they have changed on the disk.
 */
async function startAgain(
  runs: RunsToOpen,
  job: ResolvedJob,
  start: Start,
  { last, signal }: { readonly last: Run; readonly signal: AbortSignal | undefined },
): Promise<OpenRun | undefined> {
  const { columns, keyColumns, corrections, inputSha256, inputName: name } = last;
  if (inputSha256 === null) return undefined;
  const run = await runs.start(newRun(job, start, { name, columns }));
  const queue = await runs.open(run);
  try {
    for (const rows of runs.rowsAgain(last)) {
      signal?.throwIfAborted();
      await queue.add(rows);
    }
    const list = { columns, keyColumns, corrections, inputSha256 };
    const complete = await runs.completeList(run, list);
    const notes = [
      `${name} is the list that ${runName(last)} has read, so that it was not read again.`,
      ...correctionNotes(corrections, corrections),
    ];
    return { run: complete, queue, counts: await queue.counts(), isResumed: false, notes };
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    if (!(error instanceof RowsChangedError)) throw error;
    await runs.dropRead();
    return undefined;
  }
}

/** What a run is of when it begins. */
export function newRun(
  job: ResolvedJob,
  { jobFingerprint, stamp, startedAt }: Omit<Start, 'corrections'>,
  { name, columns }: Pick<OpenInput, 'name' | 'columns'>,
): Parameters<RunsToOpen['start']>[0] {
  return {
    jobFingerprint,
    columns,
    startedAt,
    verdictTerms: verdictTerms(job),
    inputStamp: stamp,
    inputName: name,
    inputPath: job.input.path,
    list: job.list,
    rowLimit: job.input.maxRows ?? null,
    service: job.service.url,
    hasPeople: job.people !== undefined,
  };
}

/** The stamp of what was read: that of a list at an address comes with its bytes. */
function stampOf(read: string | undefined, { stamp, corrections }: Start): string | null {
  if (read === undefined) return stamp;
  const mended = stampMended({ kind: 'file', stamp: read }, corrections);
  return mended.kind === 'file' ? mended.stamp : null;
}

/** What the queue of a job has to know. Without an account its requests are not counted. */
export function queueTerms(job: ResolvedJob, account?: string): QueueTerms {
  const { budget, limits, service } = job;
  const { perDay, perMonth, timezone } = budget;
  return {
    job: job.name,
    serviceUrl: job.service.url,
    reuse: job.reuse,
    isRefresh: job.refresh !== undefined,
    keepsOutcomes: job.keepsOutcomes ?? false,
    onMismatch: job.onMismatch,
    people: job.people,
    spend:
      account === undefined
        ? undefined
        : {
            account,
            budget: { perDay, perMonth, timezone },
            price: service.price,
            attempts: affordableAttempts(limits.attempts, budget),
          },
    ledgerPath: job.ledger,
    ledgerMustExist: job.ledgerCare.mustExist,
  };
}
