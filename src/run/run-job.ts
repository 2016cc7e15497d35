import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { DossierError, type ErrorCode, exitCodeOf, withSentence } from '../errors.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { type JobRuns, withJob } from '../queue/job/job-runs.ts';
import { judgeRun } from '../queue/published/judge-run.ts';
import { answeredCalls, type Counts, totalRows } from '../rules/outcomes.ts';
import { totalSpend } from '../rules/total-spend.ts';
import { holdMemory } from '../runtime/memory.ts';
import { openThread, type Thread } from '../runtime/thread/thread.ts';
import { resolveCalls } from './calls/call-service.ts';
import { openRequestBudget } from './calls/charges.ts';
import { openRun, queueTerms } from './open-run.ts';
import { findReplaced, removeHeldResults, requirePlaces } from './places/result-places.ts';
import { foldersIn } from './places/write-places.ts';
import type { RunParts } from './run-parts.ts';
import { type OutputParts, type RunExport, writeOutputs } from './write-outputs.ts';

/** Runs a job, or goes on with it: calls that were answered before are not made again. */
export async function runJob(job: ResolvedJob, parts: RunParts) {
  holdMemory();
  requirePlaces(job);
  await using thread = openThreadForList(job.input.path);
  const { signal, observer, version, clock, startedBy = 'script' } = parts;
  const work = (runs: JobRuns) => runWith(runs, job, parts);
  const start = { version, startedBy, clock };
  const held = { thread, signal, start, onHeld: observer.onHeld };
  return await withJob(queueTerms(job, parts.account), work, held);
}

export type RunSummary = Awaited<ReturnType<typeof runJob>>;

async function runWith(runs: JobRuns, job: ResolvedJob, parts: RunParts) {
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
    const exported = await writeOutputs(runs.ledger, job, run.id, { ...parts, ...ended });
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
  const exitCode = exitCodeAfter(counts, held !== null, exported);
  const reason = exported.unreached?.code;
  await runs.finish(run, endedAt, { exitCode, held, reason });
  if (!held) await removeHeldResults(runs.ledger.runs, foldersIn(exported), run);
  const pruned = await runs.prune(ledgerWishes(job), endedAt);
  if (pruned.runs > 0) observer.onPrune?.(pruned);
  return {
    run,
    isResumed,
    notes,
    replaces,
    counts,
    endedAt,
    /** Calls that earlier starts of this run had answered, before it was taken up again. */
    callsBefore: answeredCalls(opened.counts.calls),
    /** Requests of this start that may be charged, attempts included. */
    requests: budget.spent,
    /** What these cost; undefined where the job tells no price. */
    money: budget.money,
    /** What the whole run may be charged for, earlier starts included. */
    spentInAll: totalSpend(runs.ledger.spend.ofRun(run.id)),
    /** Expectations that were not met, so that the files are held; null where they are published. */
    held,
    exported,
    exitCode,
  };
}

/** Not 0 where rows or searches failed, or a place could not be reached. */
function exitCodeAfter({ failedSearches }: Counts, isHeld: boolean, exported: RunExport) {
  if (isHeld) return 4;
  if (exported.unreached) return exitCodeOf(exported.unreached);
  const { failed, stale } = exported.counts;
  return failed + stale + failedSearches + exported.damagedAnswers > 0 ? 3 : 0;
}

/** What the job wants its ledger to keep. */
function ledgerWishes({ ledgerCare, reuse }: ResolvedJob) {
  const { companiesMs, missesMs, peopleMs, staleOnFailureMs } = reuse;
  return {
    keepRuns: ledgerCare.keepRuns,
    useMs: Math.max(companiesMs, missesMs, peopleMs, staleOnFailureMs),
  };
}

/** A smaller list is done before a thread has started. */
const leastBytes = 64 * 1_024;

/** A thread for a run over a list, where it helps. Nothing else decides that. */
export function openThreadForList(path: string): Thread | undefined {
  const isLarge = availableParallelism() > 1 && bytesOf(path) >= leastBytes;
  return isLarge ? openThread() : undefined;
}

/** A pipe may bring any amount, and a list that cannot be reached is that of a run which is resumed. */
function bytesOf(path: string) {
  try {
    const facts = statSync(path);
    return facts.isFile() ? facts.size : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Stops after which a run writes what it has: what was paid for is of use, and rows that are open say so.
 * After a signal nobody waits for files. A job or an address that is wrong (78) has brought nothing that
 * its owner wants, and a disk or ledger in trouble cannot be written from.
 */
const worthFiles: readonly ErrorCode[] = [
  'SERVICE_DOWN',
  'BUDGET_SPENT',
  'QUOTA_SPENT',
  'THROTTLED_TOO_LONG',
  'KEY_REFUSED',
  'SHARE_DOWN',
  'SHARE_REFUSED',
  'SHARE_LOST',
];

/** Writes the files of a run that is stopped, and gives the error that says so and where they are. */
export async function writeStopped(
  error: unknown,
  write: (stopped: DossierError) => Promise<RunExport>,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(error instanceof DossierError) || !worthFiles.includes(error.code)) return error;
  try {
    const { folder, counts, unreached } = await write(error);
    const done = number(counts.rows - counts.open - counts.stale);
    const older = counts.stale > 0 ? ` and ${number(counts.stale)} older answers` : '';
    const rows = `${done} of ${number(counts.rows)} rows done${older}`;
    const missing = unreached ? `. But ${unreached.message}` : '';
    if (folder === null) return withSentence(error, `The ledger has ${rows}${missing}`);
    return withSentence(error, `The files with ${rows} are in ${fromHere(folder)}${missing}`);
  } catch (trouble) {
    if (signal.aborted) return signal.reason;
    const why = trouble instanceof Error ? trouble.message : String(trouble);
    return withSentence(error, `The files with what there is could not be written: ${why}`);
  }
}

/** An address is the same from everywhere. */
function fromHere(folder: string) {
  return folder.includes('://') ? folder : relative(process.cwd(), folder) || '.';
}

function number(count: number) {
  return count.toLocaleString('en');
}
