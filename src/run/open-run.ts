import { statSync } from 'node:fs';
import { type OpenInput, openInput } from '../input/open-input.ts';
import { stampAddress } from '../input/remote/open-source.ts';
import { jobFingerprint, verdictTerms } from '../job/job-fingerprint.ts';
import { readCorrections } from '../job/mended/correction.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import { RowsChangedError, type RunsToOpen } from '../queue/job/job-runs.ts';
import type { QueueTerms } from '../queue/queue-state.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { InputStamp } from '../rules/resume.ts';
import type { Clock } from '../runtime/clock.ts';
import { affordableAttempts } from './calls/charges.ts';
import { correctionNotes, correctionsDigest } from './list/apply-corrections.ts';
import { type IngestOptions, ingest } from './list/ingest.ts';
import { columnNotes, nameNotes } from './list/plan-columns.ts';

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
}

/** What is known of a run when a process begins or takes it up. */
interface Start {
  readonly jobFingerprint: string;
  readonly startedAt: number;
  /** Null for a pipe. */
  readonly stamp: string | null;
}

/** Goes on with the unfinished run of a job, or begins one over its list. */
export async function openRun(
  runs: RunsToOpen,
  job: ResolvedJob,
  { clock, ...given }: ReadingOptions,
): Promise<OpenRun> {
  const { signal, corrections = readCorrections(job.corrections) } = given;
  const startedAt = clock.wallMs();
  const fingerprint = jobFingerprint(job);
  const findUnfinished = (input: InputStamp) =>
    runs.findUnfinished({ jobFingerprint: fingerprint, input }, startedAt);
  const finished = job.input.address && runs.findFinished(fingerprint);
  // Where the list counts as gone, any unfinished run will do.
  const findRead = () => findUnfinished({ kind: 'gone' }) ?? finished;
  // With other corrections the same file is another list, which has to be read to see whether they apply.
  const mended = (read: string) =>
    corrections.length === 0 ? read : `${read} mended ${correctionsDigest(corrections)}`;
  const found = await stampInput(job.input, findRead, signal);
  const stamp = found.kind === 'file' ? mended(found.stamp) : null;
  const start = { jobFingerprint: fingerprint, startedAt, stamp };
  const unfinished = findUnfinished(stamp === null ? found : { kind: 'file', stamp });
  if (unfinished) return await resumeRun(runs, unfinished, start);
  const isRead = finished && stamp !== null && finished.inputStamp === stamp;
  const again = isRead ? await startAgain(runs, job, start, finished, signal) : undefined;
  if (again) return again;
  const place = job.input.address ?? job.input.path;
  await using input = await openInput(place, job.input.options, given);
  // The stamp of a list at an address comes with its bytes.
  const own = input.stamp === undefined ? stamp : mended(input.stamp);
  return await startRun(runs, job, { ...start, stamp: own }, input, { ...given, corrections });
}

async function resumeRun(
  runs: RunsToOpen,
  unfinished: Run,
  { startedAt, stamp }: Start,
  notes?: readonly string[],
): Promise<OpenRun> {
  const run = await runs.resume(unfinished, { startedAt, inputStamp: stamp });
  const queue = await runs.open(run);
  const told = notes ?? correctionNotes(run.corrections, run.corrections);
  return { run, queue, counts: await queue.counts(), isResumed: true, notes: told };
}

async function startRun(
  runs: RunsToOpen,
  job: ResolvedJob,
  start: Start,
  input: OpenInput,
  options: IngestOptions,
): Promise<OpenRun> {
  return await beginRun(runs, job, start, input, async (run, queue) => {
    const { path } = job.input;
    const keyOfLastRun = runs.keyOfLastRun(path);
    const read = await ingest(queue, job, input, { ...options, keyOfLastRun });
    const { counts, inputSha256, keyColumns, corrections } = read;
    const { columns } = input;
    const notes = [
      ...input.notes(),
      ...columnNotes(job, columns, read.plan),
      ...nameNotes(columns),
      ...read.notes,
      ...correctionNotes(corrections, runs.correctionsOfLastRun(path)),
    ];
    const list = { columns, keyColumns, corrections, inputSha256 };
    const { jobFingerprint: fingerprint, startedAt } = start;
    const same = runs.findSameList({ ...list, jobFingerprint: fingerprint }, startedAt);
    if (same) {
      // The list was only touched, or piped in again: what was read of it before has its answers.
      await queue[Symbol.asyncDispose]();
      await runs.dropRead();
      return await resumeRun(runs, same, start, notes);
    }
    return { run: await runs.completeList(run, list), queue, counts, isResumed: false, notes };
  });
}

/**
 * Begins a run over the list that the last one has read: its rows are in the ledger as they were identified. Undefined
 * where they have changed on the disk.
 */
async function startAgain(
  runs: RunsToOpen,
  job: ResolvedJob,
  start: Start,
  last: Run,
  signal: AbortSignal | undefined,
): Promise<OpenRun | undefined> {
  const { columns, keyColumns, corrections, inputSha256, inputName: name } = last;
  if (inputSha256 === null) return undefined;
  try {
    return await beginRun(runs, job, start, { name, columns }, async (run, queue) => {
      for (const rows of runs.rowsAgain(last)) {
        signal?.throwIfAborted();
        await queue.add(rows);
      }
      const list = { columns, keyColumns, corrections, inputSha256 };
      const complete = await runs.completeList(run, list);
      const notes = [
        `${name} has not changed since ${runName(last)}; using its rows.`,
        ...correctionNotes(corrections, corrections),
      ];
      return { run: complete, queue, counts: await queue.counts(), isResumed: false, notes };
    });
  } catch (error) {
    if (!(error instanceof RowsChangedError)) throw error;
    await runs.dropRead();
    return undefined;
  }
}

/** Begins a run over a list. Where it cannot be read, the queue is closed. */
export async function beginRun<Begun>(
  runs: Pick<RunsToOpen, 'start' | 'open'>,
  job: ResolvedJob,
  { jobFingerprint: fingerprint, stamp, startedAt }: Start,
  { name, columns }: Pick<OpenInput, 'name' | 'columns'>,
  read: (run: Run, queue: RunQueue) => Promise<Begun>,
): Promise<Begun> {
  const run = await runs.start({
    jobFingerprint: fingerprint,
    verdictTerms: verdictTerms(job),
    inputStamp: stamp,
    inputName: name,
    inputPath: job.input.path,
    list: job.list,
    rowLimit: job.input.maxRows ?? null,
    service: job.service.url,
    columns,
    hasPeople: job.people !== undefined,
    startedAt,
  });
  const queue = await runs.open(run);
  try {
    return await read(run, queue);
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Tells whether a list is the one that was read before, without reading it. The place of a list at an address
 * is asked only where there is a run of it to be resumed or repeated.
 */
async function stampInput(
  { path, address }: ResolvedJob['input'],
  findRead: () => Run | undefined,
  signal?: AbortSignal,
): Promise<InputStamp> {
  if (!address) return stampFile(path);
  const read = findRead();
  if (read?.inputPath !== path || read.inputStamp === null) return { kind: 'pipe' };
  return await stampAddress(address, read.inputStamp, signal);
}

/** Path, size and time tell one version of a file from another. */
export function stampFile(path: string): InputStamp {
  if (path === '-') return { kind: 'pipe' };
  try {
    const facts = statSync(path);
    if (!facts.isFile()) return { kind: 'pipe' };
    return { kind: 'file', stamp: `${path} ${facts.size} ${facts.mtimeMs}` };
  } catch {
    // A file that cannot be reached counts as gone; reading it says why.
    return { kind: 'gone' };
  }
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
