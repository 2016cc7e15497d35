import type { CallRequest } from '../contract/call.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type JobRuns, withJob } from '../queue/job-runs.ts';
import { judgeRun } from '../queue/published/judge-run.ts';
import type { Breach } from '../rules/expectations.ts';
import { answeredCalls, type Counts, totalRows } from '../rules/outcomes.ts';
import type { Money } from '../runtime/budget/money.ts';
import type { Clock } from '../runtime/clock.ts';
import { holdMemory } from '../runtime/hold-memory.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import type { CallMeter } from './calls/call-meter.ts';
import { callService } from './calls/call-service.ts';
import { openCallsAtOnce } from './calls/calls-at-once.ts';
import type { ServiceCalls } from './calls/calls-in-flight.ts';
import { type Charges, openCharges } from './calls/charges.ts';
import { keepTimeline } from './calls/keep-timeline.ts';
import { openWhenNeeded } from './calls/open-when-needed.ts';
import { openRequestBudget, type RequestBudget } from './calls/request-budget.ts';
import { requireRoom } from './calls/require-room.ts';
import { type OpenRun, openRun, queueTerms } from './open-run.ts';
import { removeHeldResults } from './place-of-result.ts';
import { findReplaced, type ReplacedResult } from './replaced-result.ts';
import { openThreadForList } from './second-thread.ts';
import { writeStopped } from './stopped-run.ts';
import {
  type OpenReport,
  type OutputParts,
  type RunExport,
  writeOutputs,
} from './write-outputs.ts';

/** The client as a run sees it. */
export interface ServiceClient extends ServiceCalls, AsyncDisposable {
  /** Lets no attempt leave any more; one on the wire may still bring its answer. */
  stop(error: Error): void;
  /** Calls whose request has left and is not answered, and how long the last answer can take. */
  onWire?(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number };
}

/** What the run knows of its service before the first call. */
export interface ClientFacts {
  /** It has given a hit before: an empty 404 of it is a miss, and not a wrong address. */
  readonly isProven: boolean;
  /** Counts the requests that may be charged. */
  readonly budget?: Charges;
}

export interface RunParts {
  /** Called when the first call is needed: a run of cache hits alone opens no socket. */
  readonly openClient: (facts: ClientFacts) => Promise<ServiceClient>;
  readonly clock: Clock;
  readonly version: string;
  /** Aborted to stop the run; its reason is thrown after everything is stored. */
  readonly signal: AbortSignal;
  readonly observer: RunObserver;
  /** Counts the requests that may be charged; one of the job's own size where there is none. */
  readonly budget?: RequestBudget;
  /** The account that is charged, as a hash. Without one no request is counted in the ledger. */
  readonly account?: string | undefined;
  /** Hears what happens on the wire; what it has measured is kept with the run. */
  readonly meter?: CallMeter;
  /** The sink of the report for people; a run without it has only its files. */
  readonly openReport?: OpenReport;
  /**
   * How long answers on the wire are waited for after a stop. By default each attempt has the time that
   * the job gives it: an answer that is given up may have been paid for.
   */
  readonly graceMs?: number;
}

/** What people should know before the first call. */
export interface ToldAtStart {
  /** What was guessed to read the list. */
  readonly notes: readonly string[];
  /** The result that will be replaced by one of fewer rows. */
  readonly replaces: ReplacedResult | undefined;
}

/** Hears how a run goes, for the log and the progress line. */
export interface RunObserver {
  onIngest(rows: number, share: number | undefined): void;
  /** The run holds its job: no other process works on it. */
  onTaken?(): void;
  /** The list is read. */
  onStart(run: OpenRun['run'], isResumed: boolean, counts: Counts, told: ToldAtStart): void;
  onProgress(counts: Counts): void;
  onExport(): void;
  /** All rows have ended: what the result was expected to be and is not; null where it is good. */
  onJudged?(held: readonly Breach[] | null): void;
  /** The files of a run are written, be it one that was stopped. */
  onWritten?(exported: RunExport): void;
  /** The run is being stopped and waits for the answers to calls that have left. */
  onStop?(waiting: WaitingForAnswers): void;
  /** Runs beyond `ledger.keepRuns` were removed from the ledger, and rows that only they had. */
  onPrune?(pruned: { readonly runs: number; readonly rows: number }): void;
  /** Another program holds the ledger; the run waits, and keeps the answers that have come. */
  onHeld?(waitedMs: number): void;
  /** Starts before this one died with calls in flight and no answer, so it makes fewer at once. */
  onFewerCalls?(facts: { readonly deadStarts: number; readonly callsAtOnce: number }): void;
}

export interface WaitingForAnswers {
  readonly answers: number;
  readonly atMostMs: number;
  /** The calls among them that are not answered yet, at the moment of asking. */
  unanswered(): readonly CallRequest[];
}

export interface RunSummary extends ToldAtStart {
  readonly run: OpenRun['run'];
  readonly isResumed: boolean;
  readonly counts: Counts;
  readonly endedAt: number;
  /** Calls that earlier starts of this run had answered, before it was taken up again. */
  readonly callsBefore: number;
  /** Requests of this start that may be charged, attempts included. */
  readonly requests: number;
  /** What these cost; undefined where the job tells no price. */
  readonly money: Money | undefined;
  /** Expectations that were not met, so that the files are held; null where they are published. */
  readonly held: readonly Breach[] | null;
  readonly exported: RunExport;
  /** How the command ends: not with 0 where rows or searches failed. */
  readonly exitCode: number;
}

/** Beyond the timeout of an attempt, for what delays its end: a commit, a body that is held back. */
const graceMarginMs = 2_000;

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts): Promise<RunSummary> {
  holdMemory();
  await using thread = openThreadForList(job.input.path);
  const { signal, observer, version, clock } = parts;
  const work = (runs: JobRuns) => runWith(runs, job, parts, thread);
  const start = { version, clock };
  return await withJob(queueTerms(job, parts.account), work, {
    ...{ thread, signal, start },
    onHeld: observer.onHeld,
  });
}

async function runWith(
  runs: JobRuns,
  job: ResolvedJob,
  parts: RunParts,
  thread: Thread | undefined,
): Promise<RunSummary> {
  const { clock, signal, observer } = parts;
  observer.onTaken?.();
  const opened = await openRun(runs, job, { clock, signal, onProgress: observer.onIngest });
  const { run, isResumed, notes } = opened;
  const replaces = await findReplaced(job, run, totalRows(opened.counts));
  const { budget = openRequestBudget(job.budget.perStart, job.service.price) } = parts;
  observer.onStart(run, isResumed, opened.counts, { notes, replaces });
  const isProven = runs.isServiceProven();
  const hasCalls = opened.counts.calls.open > 0;
  const deadStarts = hasCalls ? await runs.beginCalling(run, opened.counts) : 0;
  const write = async (ended: Pick<OutputParts, 'endedAt' | 'held' | 'mayLeave'> = {}) => {
    observer.onExport();
    const exported = await writeOutputs(runs.ledger, job, run.id, { ...parts, ...ended, thread });
    observer.onWritten?.(exported);
    return exported;
  };
  const calling = resolveCalls({ ...opened, deadStarts }, job, { ...parts, isProven, budget });
  const counts = await calling.catch(async (error: unknown) => {
    throw await writeStopped(error, write, signal);
  });

  const endedAt = clock.wallMs();
  const held = judgeRun(runs.ledger, job.expect, run, counts);
  observer.onJudged?.(held);
  const exported = await write({ endedAt, held, mayLeave: held === null });
  // After the files: a run that dies while writing them is resumed, judged and written again.
  const exitCode = exitCodeAfter(counts, held, exported);
  await runs.finish(run, endedAt, { exitCode, held });
  if (!held) await removeHeldResults(runs.ledger.runs, exported.folder, run);
  const pruned = await runs.prune(ledgerWishes(job), endedAt);
  if (pruned.runs > 0) observer.onPrune?.(pruned);
  const callsBefore = answeredCalls(opened.counts.calls);
  return {
    ...{ run, isResumed, notes, replaces, counts, endedAt, callsBefore },
    requests: budget.spent,
    money: budget.money,
    held,
    exported,
    exitCode,
  };
}

const failedRowsExitCode = 3;
const heldExitCode = 4;

function exitCodeAfter(counts: Counts, held: RunSummary['held'], exported: RunExport): number {
  if (held) return heldExitCode;
  const { failed, stale } = exported.counts;
  const hasFailures = failed + stale + counts.failedSearches + exported.damagedAnswers > 0;
  return hasFailures ? failedRowsExitCode : 0;
}

/** What the job wants its ledger to keep. */
function ledgerWishes({ ledgerCare, reuse }: ResolvedJob) {
  const { companiesMs, missesMs, peopleMs, staleOnFailureMs } = reuse;
  return {
    keepRuns: ledgerCare.keepRuns,
    useMs: Math.max(companiesMs, missesMs, peopleMs, staleOnFailureMs),
  };
}

const nothingOnWire = { calls: [], atMostMs: 0 } as const;

type CallingParts = Pick<
  RunParts,
  'clock' | 'openClient' | 'signal' | 'observer' | 'meter' | 'graceMs'
> & { readonly isProven: boolean; readonly budget: RequestBudget };

/** Makes the calls of a run and closes its queue; at a signal, it waits for what is on the wire. */
export async function resolveCalls(
  {
    queue: opened,
    counts,
    deadStarts = 0,
  }: Pick<OpenRun, 'queue' | 'counts'> & { readonly deadStarts?: number },
  job: ResolvedJob,
  parts: CallingParts,
): Promise<Counts> {
  await using queue = opened;
  if (counts.calls.open === 0) return counts;
  const { clock, signal, observer, budget } = parts;
  const { graceMs = job.limits.timeoutMs + graceMarginMs } = parts;
  signal.throwIfAborted();
  requireRoom(job.ledger, job.limits.concurrency);
  const { isProven } = parts;
  await using timeline = keepTimeline(queue, clock, parts.meter);
  const { timezone } = job.budget;
  const charges = openCharges(queue, { clock, budget, timezone });
  const open = () => parts.openClient({ isProven, budget: charges });
  await using client = openWhenNeeded(open, charges.refund);
  if (deadStarts > 0) {
    const callsAtOnce = openCallsAtOnce(job.limits, deadStarts).atOnce;
    observer.onFewerCalls?.({ deadStarts, callsAtOnce });
  }
  const wire = new AbortController();
  const onWire = () => client.onWire?.() ?? nothingOnWire;
  let grace: NodeJS.Timeout | undefined;
  const stop = () => {
    const { calls, atMostMs } = onWire();
    client.stop(signal.reason as Error);
    observer.onStop?.({ answers: calls.length, atMostMs, unanswered: () => onWire().calls });
    grace = setTimeout(() => wire.abort(signal.reason), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await callService(queue, client, {
      ...{
        clock,
        limits: job.limits,
        budget,
        charges,
        deadStarts,
        stopping: signal,
        signal: wire.signal,
      },
      onProgress(current) {
        observer.onProgress(current);
        timeline.tick();
      },
    });
  } finally {
    clearTimeout(grace);
    signal.removeEventListener('abort', stop);
    // Where the ledger is in trouble, what was not charged counts as charged.
    await charges.settle().catch(() => {});
  }
}
