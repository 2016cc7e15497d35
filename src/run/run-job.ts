import type { ResolvedJob } from '../job/resolve-job.ts';
import { type JobRuns, withJob } from '../queue/job-runs.ts';
import type { Counts } from '../rules/outcomes.ts';
import type { Clock } from '../runtime/clock.ts';
import { holdMemory } from '../runtime/hold-memory.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import type { CallMeter } from './calls/call-meter.ts';
import { callService } from './calls/call-service.ts';
import type { ServiceCalls } from './calls/calls-in-flight.ts';
import { keepTimeline } from './calls/keep-timeline.ts';
import { openWhenNeeded } from './calls/open-when-needed.ts';
import { requireRoom } from './calls/require-room.ts';
import { type OpenRun, openRun, queueTerms } from './open-run.ts';
import { openThreadForList } from './second-thread.ts';
import { type OpenReport, type RunExport, writeOutputs } from './write-outputs.ts';

/** The client as a run sees it. */
export interface ServiceClient extends ServiceCalls, AsyncDisposable {
  /** Lets no attempt leave any more; one on the wire may still bring its answer. */
  stop(error: Error): void;
}

/** What the run knows of its service before the first call. */
export interface ClientFacts {
  /** It has given a hit before: an empty 404 of it is a miss, and not a wrong address. */
  readonly isProven: boolean;
}

export interface RunParts {
  /** Called when the first call is needed: a run of cache hits alone opens no socket. */
  readonly openClient: (facts: ClientFacts) => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly version: string;
  /** Aborted to stop the run; its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Hears what happens on the wire; what it has measured is kept with the run. */
  readonly meter?: CallMeter;
  /** The sink of the report for people; a run without it has only its files. */
  readonly openReport?: OpenReport;
  /** How long answers that are still on the wire are waited for after a stop. */
  readonly graceMs?: number;
}

/** Hears how a run goes, for the log and the progress line. */
export interface RunObserver {
  onIngest(rows: number, share: number | undefined): void;
  onStart(run: OpenRun['run'], isResumed: boolean, counts: Counts): void;
  onProgress(counts: Counts): void;
  onExport(): void;
}

export interface RunSummary {
  readonly run: OpenRun['run'];
  readonly isResumed: boolean;
  readonly counts: Counts;
  readonly endedAt: number;
  /** Calls of earlier executions of this run, before it was taken up again. */
  readonly callsBefore: number;
  readonly exported: RunExport;
}

/** A supervisor that stops a process does not wait much longer. */
const defaultGraceMs = 5_000;

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts): Promise<RunSummary> {
  holdMemory();
  await using thread = openThreadForList(job.input.path);
  return await withJob(queueTerms(job), (runs) => runWith(runs, job, parts, thread), thread);
}

async function runWith(
  runs: JobRuns,
  job: ResolvedJob,
  parts: RunParts,
  thread: Thread | undefined,
): Promise<RunSummary> {
  const { clock, signal, observer } = parts;
  const opened = await openRun(runs, job, { clock, signal, onProgress: observer.onIngest });
  const { run, isResumed } = opened;
  observer.onStart(run, isResumed, opened.counts);
  const counts = await resolveCalls(opened, job, { ...parts, isProven: runs.isServiceProven() });

  const endedAt = clock.wallMs();
  observer.onExport();
  const exported = await writeOutputs(runs.ledger, job, run.id, { ...parts, endedAt, thread });
  // After the files: a run that dies while writing them is resumed, and writes them again.
  runs.finish(run, endedAt);
  return { run, isResumed, counts, endedAt, callsBefore: opened.counts.calls.called, exported };
}

type CallingParts = ClientFacts &
  Pick<RunParts, 'clock' | 'openClient' | 'signal' | 'observer' | 'meter' | 'graceMs'>;

/** Makes the calls of a run and closes its queue; at a signal, calls on the wire get a moment. */
export async function resolveCalls(
  { queue: opened, counts }: Pick<OpenRun, 'queue' | 'counts'>,
  job: ResolvedJob,
  parts: CallingParts,
): Promise<Counts> {
  await using queue = opened;
  if (counts.calls.open === 0) return counts;
  const { clock, signal, observer, graceMs = defaultGraceMs } = parts;
  signal.throwIfAborted();
  requireRoom(job.ledger, job.limits.concurrency);
  await using timeline = keepTimeline(queue, clock, parts.meter);
  await using client = openWhenNeeded(() => parts.openClient({ isProven: parts.isProven }));
  const wire = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    client.stop(signal.reason as Error);
    grace = setTimeout(() => wire.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await callService(queue, client, {
      ...{ clock, limits: job.limits, stopping: signal, signal: wire.signal },
      onProgress(current) {
        observer.onProgress(current);
        timeline.tick();
      },
    });
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
  }
}
