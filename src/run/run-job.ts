import { exitCodeOf } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { JobRuns } from '../queue/job/job-runs.ts';
import { withJob } from '../queue/job/with-job.ts';
import { judgeRun } from '../queue/published/judge-run.ts';
import type { Breach } from '../rules/expectations.ts';
import { answeredCalls, type Counts, totalRows } from '../rules/outcomes.ts';
import { type TotalSpend, totalSpend } from '../rules/total-spend.ts';
import type { Money } from '../runtime/budget/money.ts';
import { holdMemory } from '../runtime/memory/hold-memory.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { resolveCalls } from './calls/call-service.ts';
import { openRequestBudget } from './calls/request-budget.ts';
import { type OpenRun, openRun, queueTerms } from './open-run.ts';
import { removeHeldResults } from './places/place-of-result.ts';
import { findReplaced } from './places/replaced-result.ts';
import { requirePlaces } from './places/require-places.ts';
import { foldersIn } from './places/written-place.ts';
import type { RunParts, ToldAtStart } from './run-parts.ts';
import { openThreadForList } from './second-thread.ts';
import { writeStopped } from './stopped-run.ts';
import { type OutputParts, type RunExport, writeOutputs } from './write-outputs.ts';

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
  /** What the whole run may be charged for, earlier starts included. */
  readonly spentInAll: TotalSpend;
  /** Expectations that were not met, so that the files are held; null where they are published. */
  readonly held: readonly Breach[] | null;
  readonly exported: RunExport;
  /** How the command ends: not with 0 where rows or searches failed, or a place could not be reached. */
  readonly exitCode: number;
}

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts): Promise<RunSummary> {
  holdMemory();
  requirePlaces(job);
  await using thread = openThreadForList(job.input.path);
  const { signal, observer, version, clock, startedBy = 'script' } = parts;
  const work = (runs: JobRuns) => runWith(runs, job, parts, thread);
  const start = { version, startedBy, clock };
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
  const { onIngest: onProgress, onReceive: onReceived } = observer;
  const opened = await openRun(runs, job, { clock, signal, onProgress, onReceived });
  const { run, isResumed, notes } = opened;
  const replaces = await findReplaced(job, run, totalRows(opened.counts));
  const { budget = openRequestBudget(job.budget.perStart, job.service.price) } = parts;
  observer.onStart(run, isResumed, opened.counts, { notes, replaces });
  const isProven = runs.isServiceProven();
  const hasCalls = opened.counts.calls.open > 0;
  const deadStarts = hasCalls ? await runs.beginCalling(run, opened.counts) : 0;
  const write = async (ended: Pick<OutputParts, 'endedAt' | 'held' | 'mayLeave' | 'stopped'>) => {
    observer.onExport();
    const exported = await writeOutputs(runs.ledger, job, run.id, { ...parts, ...ended, thread });
    observer.onWritten?.(exported);
    return exported;
  };
  const calling = resolveCalls(opened, job, { ...parts, isProven, budget }, deadStarts);
  const counts = await calling.catch(async (error: unknown) => {
    const writeSoFar = ({ message }: Error) => write({ stopped: message });
    throw await writeStopped(error, writeSoFar, signal);
  });

  const endedAt = clock.wallMs();
  const held = judgeRun(runs.ledger, job.expect, run, counts);
  observer.onJudged?.(held);
  const exported = await write({ endedAt, held, mayLeave: held === null });
  // After the files: a run that dies while writing them is resumed, judged and written again.
  const exitCode = exitCodeAfter(counts, held, exported);
  const reason = exported.unreached?.code;
  await runs.finish(run, endedAt, { exitCode, held, reason });
  if (!held) await removeHeldResults(runs.ledger.runs, foldersIn(exported), run);
  const pruned = await runs.prune(ledgerWishes(job), endedAt);
  if (pruned.runs > 0) observer.onPrune?.(pruned);
  const callsBefore = answeredCalls(opened.counts.calls);
  return {
    ...{ run, isResumed, notes, replaces, counts, endedAt, callsBefore },
    requests: budget.spent,
    money: budget.money,
    spentInAll: totalSpend(runs.ledger.spend.ofRun(run.id)),
    held,
    exported,
    exitCode,
  };
}

const failedRowsExitCode = 3;
const heldExitCode = 4;

function exitCodeAfter(counts: Counts, held: RunSummary['held'], exported: RunExport): number {
  if (held) return heldExitCode;
  if (exported.unreached) return exitCodeOf(exported.unreached);
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
