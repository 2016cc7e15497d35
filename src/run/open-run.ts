import { openInput } from '../input/open-input.ts';
import { jobFingerprint } from '../job/job-fingerprint.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Counts } from '../ledger/runs/counts.ts';
import type { Run } from '../ledger/runs/runs.ts';
import type { QueueTerms } from '../queue/queue-state.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import { type InputStamp, resumableRun, stampInput } from './choose-run.ts';
import { type IngestOptions, ingest } from './ingest.ts';

/** A run whose list is in the ledger, and its queue. */
export interface OpenRun {
  readonly run: Run;
  readonly queue: RunQueue;
  readonly counts: Counts;
}

export interface RunBasis {
  readonly fingerprint: string;
  readonly stamp: InputStamp;
  /** The unfinished run of the job that asks the same of the same list. */
  readonly unfinished: Run | undefined;
}

/** Looks whether the job goes on with an unfinished run. */
export function findBasis(ledger: Ledger | undefined, job: ResolvedJob): RunBasis {
  const stamp = stampInput(job.input.path);
  const fingerprint = jobFingerprint(job);
  const asked = { job: job.name, jobFingerprint: fingerprint, input: stamp };
  return { fingerprint, stamp, unfinished: ledger && resumableRun(ledger, asked) };
}

/** Begins a run by reading its list into a ledger: that of the job, or a scratch one to plan with. */
export async function startRun(
  ledger: Ledger,
  job: ResolvedJob,
  { fingerprint, stamp }: RunBasis,
  openQueue: (run: Run) => Promise<RunQueue>,
  { clock, ...options }: IngestOptions & { clock: Clock },
): Promise<OpenRun> {
  await using input = await openInput(job.input.path, job.input.options, options.signal);
  const { id, ...run } = ledger.runs.start({
    job: job.name,
    jobFingerprint: fingerprint,
    inputStamp: stamp.kind === 'file' ? stamp.stamp : null,
    inputName: input.name,
    columns: input.columns,
    hasPeople: job.people !== undefined,
    startedAt: clock.wallMs(),
  });
  const queue = await openQueue({ id, ...run });
  try {
    await queue.recover();
    const { counts, inputSha256 } = await ingest(queue, job, input, options);
    ledger.together(() => {
      ledger.runs.completeIngest({ id, job: job.name }, { columns: input.columns, inputSha256 });
      ledger.progress.put(id, counts);
    });
    return { run: ledger.runs.get(id) ?? { id, ...run }, queue, counts };
  } catch (error) {
    await queue[Symbol.asyncDispose]();
    throw error;
  }
}

/** Goes on with an unfinished run, whose list was read before. */
export async function resumeRun(
  run: Run,
  openQueue: (run: Run) => Promise<RunQueue>,
): Promise<OpenRun> {
  const queue = await openQueue(run);
  await queue.recover();
  return { run, queue, counts: await queue.counts() };
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
