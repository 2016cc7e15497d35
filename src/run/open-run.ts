import { openInput } from '../input/open-input.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Run } from '../ledger/runs/runs.ts';
import type { JobRuns } from '../queue/job-runs.ts';
import type { QueueTerms } from '../queue/queue-state.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { Clock } from '../runtime/clock.ts';
import { type IngestOptions, ingest } from './list/ingest.ts';
import { stampInput } from './list/stamp-input.ts';

/** A run whose list is in the ledger, and its queue. */
export interface OpenRun {
  readonly run: Run;
  readonly queue: RunQueue;
  readonly counts: Counts;
  readonly isResumed: boolean;
  /** What was guessed to read the list; nothing where a run is resumed, which reads none. */
  readonly notes: readonly string[];
}

export type ReadingOptions = IngestOptions & { readonly clock: Clock };

/** Goes on with the unfinished run of a job, or begins one by reading its list. */
export async function openRun(
  runs: Pick<JobRuns, 'findUnfinished' | 'start' | 'open' | 'completeList'>,
  job: ResolvedJob,
  options: ReadingOptions,
): Promise<OpenRun> {
  const basis = { jobFingerprint: jobFingerprint(job), input: stampInput(job.input.path) };
  const unfinished = runs.findUnfinished(basis);
  if (!unfinished) return await startRun(runs, job, basis, options);
  const queue = await runs.open(unfinished);
  return { run: unfinished, queue, counts: await queue.counts(), isResumed: true, notes: [] };
}

async function startRun(
  runs: Pick<JobRuns, 'start' | 'open' | 'completeList'>,
  job: ResolvedJob,
  basis: Parameters<JobRuns['findUnfinished']>[0],
  { clock, ...options }: ReadingOptions,
): Promise<OpenRun> {
  await using input = await openInput(job.input.path, job.input.options, options.signal);
  const run = runs.start({
    jobFingerprint: basis.jobFingerprint,
    inputStamp: basis.input.kind === 'file' ? basis.input.stamp : null,
    inputName: input.name,
    list: job.list,
    rowLimit: job.input.maxRows ?? null,
    service: job.service.url,
    columns: input.columns,
    hasPeople: job.people !== undefined,
    startedAt: clock.wallMs(),
  });
  const queue = await runs.open(run);
  try {
    const { counts, inputSha256 } = await ingest(queue, job, input, options);
    const list = { columns: input.columns, inputSha256 };
    const complete = runs.completeList(run, list, counts);
    return { run: complete, queue, counts, isResumed: false, notes: input.notes() };
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    throw error;
  }
}

export function queueTerms(job: ResolvedJob): QueueTerms {
  return {
    job: job.name,
    serviceUrl: job.service.url,
    reuse: job.reuse,
    onMismatch: job.onMismatch,
    people: job.people,
    ledgerPath: job.ledger,
  };
}
