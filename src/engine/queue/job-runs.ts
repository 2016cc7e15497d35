import { randomUUID } from 'node:crypto';
import { DossierError, type ErrorCode, heldReason } from '../../core/errors.ts';
import type { Expectation } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import {
  hasReadTheSame,
  isResumableWithoutList,
  type ListContent,
} from '../../core/rules/resume.ts';
import type { Thread } from '../../platform/thread/thread.ts';
import { nothingPruned, type Wishes } from '../ledger/care/prune-ledger.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { withLedgerErrorsAsync } from '../ledger/file/ledger-path.ts';
import { lockJob, takeLookupSlot } from '../ledger/file/locks.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import { type NewRun, type ReadList, type Run, runName } from '../ledger/runs/runs.ts';
import { noteFailure, noteStart, type StartFacts } from '../ledger/runs/starts.ts';
import { createAskedServices } from './asked-services.ts';
import { callsAhead } from './calls-ahead.ts';
import { checkResult, listCheck } from './check-result.ts';
import { renewAdapter } from './judge-again.ts';
import { openQueue } from './open-queue.ts';
import { createAnswerCache, type QueueTerms, queuedRun, requireOwned } from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';
import { openQueueInThread } from './serve-queue.ts';
import { hasStoppedAtRecheck } from './vanished.ts';
import {
  type BusyWait,
  busyLimitMs,
  runBusyMs,
  waitingWhileHeld,
  whileBusy,
} from './while-busy.ts';

interface JobParts extends BusyWait {
  readonly thread?: Thread | undefined;
  readonly start?: StartFacts | undefined;
}

export type JobRuns = ReturnType<typeof jobRuns>;

export type RunsToOpen = Omit<
  JobRuns,
  | 'ledger'
  | 'adapterNotes'
  | 'records'
  | 'callsAhead'
  | 'putJobFile'
  | 'finish'
  | 'prune'
  | 'beginCalling'
  | 'checkResult'
>;

function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, start, ...busyWait }: JobParts,
  {
    leftInFlight,
    startId,
    adapterNotes,
  }: ReturnType<typeof takeOver> & { readonly adapterNotes: readonly string[] },
) {
  const { runs, starts } = ledger;
  const { job } = terms;
  const owner = randomUUID();
  const bounded = { ...busyWait, limitMs: busyLimitMs };
  const inTransaction = <Result>(work: () => Result) =>
    whileBusy(() => ledger.inTransaction(work), bounded);
  const noteRun = ({ id }: Run) => {
    if (startId !== undefined) starts.putRun({ id: startId, runId: id });
  };
  return {
    ledger,
    adapterNotes,
    records: ledger.records(terms.exclusions, start?.clock.wallMs()),
    ...runsBefore(ledger, terms),
    start: (run: BegunRun) => inTransaction(() => startRun(ledger, terms, run)),
    resume: (run: Run, startedAt: number) =>
      inTransaction(() => {
        noteRun(run);
        return runs.resume(run, startedAt);
      }),
    putJobFile: (path: string) => inTransaction(() => void runs.putJobFile(job, path)),
    dropRead: () => inTransaction(() => runs.dropUnfinishedIngests(job)),
    async open(run: Run): Promise<RunQueue> {
      await inTransaction(() => {
        runs.take(owner, run.id);
        ledger.services.name(terms.services.filter(({ isDescribed }) => isDescribed));
      });
      const follow = terms.isFix ? requireFollowed : runFollowed;
      const follows = run.kind === 'lookup' ? null : follow(ledger, run);
      const queued = { ...queuedRun(ledger, run, terms), owner, follows };
      const opened = thread
        ? await whileBusy(() => openQueueInThread(thread, queued, terms), bounded)
        : openQueue(ledger, queued, terms);
      const queue = waitingWhileHeld(opened, busyWait);
      await queue.recover();
      return queue;
    },
    checkList: listCheck(ledger, ledger),
    /** Completes the calls that cached answers can complete, and counts the others. */
    async callsAhead(run: Run, queue: RunQueue) {
      while ((await queue.exchange([], [])).left === 'unseen');
      const services = createAskedServices(ledger, terms.services);
      const { choose } = createAnswerCache(ledger, queuedRun(ledger, run, terms), services);
      return callsAhead(ledger, run.id, terms, ledger, choose);
    },
    /** After this, the run can be resumed. */
    completeList: (run: Run, list: ReadList) =>
      inTransaction(() => {
        noteRun(run);
        return completeList(ledger, { ...run, owner }, list);
      }),
    finish: (
      { id }: Run,
      endedAt: number,
      exitCode = 0,
      held: Run['held'] = null,
      reason: ErrorCode | null = null,
    ) =>
      inTransaction(() => {
        requireOwned(ledger, { id, owner });
        runs.finish(id, endedAt, held);
        if (startId === undefined) return;
        starts.end({
          id: startId,
          endedAt: start?.clock.wallMs() ?? endedAt,
          exitCode,
          reason: held ? heldReason : reason,
        });
      }),
    checkResult: (run: Run, expectations: readonly Expectation[], counts: Counts) =>
      inTransaction(() => {
        requireOwned(ledger, { id: run.id, owner });
        return checkResult(ledger, terms, expectations, run, counts);
      }),
    /** A run that has written its files must not fail because of pruning. */
    async prune(wishes: Wishes, now: number) {
      try {
        return await inTransaction(() => {
          const pruned = ledger.prune(job, wishes, now);
          if (terms.exclusions) ledger.expire(job, terms.exclusions, now);
          return pruned;
        });
      } catch (error) {
        if (error instanceof DossierError && mayWait.includes(error.code)) return nothingPruned;
        throw error;
      }
    },
    beginCalling: (run: Run, { calls }: Counts) =>
      inTransaction(() => {
        const deadStarts = leftInFlight > 0 ? countDeadStarts(ledger, job) : 0;
        const calling = { runId: run.id, callsBefore: calls.made + calls.failed, deadStarts };
        if (startId !== undefined) starts.putCalling({ id: startId, ...calling });
        return deadStarts;
      }),
  };
}

/** These errors leave the ledger unchanged, so the next run can prune instead. */
const mayWait: readonly ErrorCode[] = ['LEDGER_TROUBLE', 'LEDGER_BUSY'];

type BegunRun = Omit<NewRun, 'job' | 'jobFingerprint' | 'listId'>;

/** Call inside a transaction. */
export function startRun(ledger: Ledger, { job, jobFingerprint }: QueueTerms, run: BegunRun): Run {
  return ledger.runs.start({ ...run, job, jobFingerprint, listId: ledger.lists.begin() });
}

/** Call inside a transaction. */
export function completeList(ledger: Ledger, run: Run, list: ReadList): Run {
  requireOwned(ledger, run);
  const listId = ledger.lists.complete(run.listId);
  ledger.runs.completeIngest(run, { ...list, listId });
  return { ...run, corrections: null, registerSources: null, ...list, listId, state: 'open' };
}

function countDeadStarts({ starts, progress }: Ledger, job: string): number {
  const last = starts.lastCalling(job);
  if (!last) return 0;
  const { made, failed } = progress.counts(last.runId).calls;
  // A start that stored answers does not count as dead, so the number of calls at once is not
  // lowered further.
  return made + failed > last.callsBefore ? last.deadStarts : last.deadStarts + 1;
}

export function runsBefore(ledger: Ledger, { job, jobFingerprint, isFix = false }: QueueTerms) {
  return {
    /** Even with expired answers, because a list that is gone cannot be read again. */
    findStored(inputPath: string): Run | undefined {
      const newest = ledger.runs.newest(job);
      const isStored = newest && isResumableWithoutList(newest, { jobFingerprint, inputPath });
      return isStored ? newest : undefined;
    },
    findSameList(list: Omit<ListContent, 'jobFingerprint'>, asOf: number): Run | undefined {
      const newest = ledger.runs.newest(job);
      if (!newest || !hasReadTheSame(newest, { ...list, jobFingerprint })) return undefined;
      // A run with an expired answer is not continued; a new run reuses the other answers.
      const isFresh = asOf < ledger.progress.freshUntil(newest.id);
      return isFresh && !hasStoppedAtRecheck(ledger, newest) ? newest : undefined;
    },
    lastKeyed: (inputPath: string) => ledger.runs.newestKeyed(job, inputPath),
    /** `dossier fix` looks up only changed rows, so it keeps what the register said about others. */
    registerRows: ({ listId, registerSources }: Run) =>
      registerSources ? ledger.registerRows(listId, isFix) : undefined,
  };
}

export async function withJob<Result>(
  queueTerms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
  isLookup = false,
): Promise<Result> {
  const { ledgerPath, ledgerMustExist: mustExist = false } = queueTerms;
  // Check first, because taking a lock would create the folder of a missing ledger.
  if (mustExist) refuseMissing(ledgerPath);
  using lock: Disposable & { readonly job?: string } = isLookup
    ? takeLookupSlot(ledgerPath)
    : lockJob(ledgerPath, queueTerms.job);
  const terms = { ...queueTerms, job: lock.job ?? queueTerms.job };
  const bounded = { ...parts, limitMs: busyLimitMs };
  using ledger = await whileBusy(
    () => openLedger(ledgerPath, { busyMs: runBusyMs, mustExist }),
    bounded,
  );
  let startId: number | undefined;
  try {
    return await withLedgerErrorsAsync(ledgerPath, async () => {
      // Release the calls of a dead run first: other jobs may be waiting for them.
      const taking = () => ledger.inTransaction(() => takeOver(ledger, terms.job, parts.start));
      const taken = await whileBusy(taking, bounded);
      ({ startId } = taken);
      if (taken.refusal) throw taken.refusal;
      const renewing = () =>
        ledger.inTransaction(() => terms.services.flatMap((one) => renewAdapter(ledger, one)));
      const adapterNotes = await whileBusy(renewing, bounded);
      return await work(jobRuns(ledger, terms, parts, { ...taken, adapterNotes }));
    });
  } catch (error) {
    if (startId !== undefined && parts.start) noteFailure(ledger, startId, parts.start, error);
    throw error;
  }
}

/** If the earlier process is still alive, it stops at its next write. */
function takeOver(ledger: Ledger, job: string, start: JobParts['start']) {
  const leftInFlight = ledger.calls.recover(job);
  ledger.runs.disown(job);
  ledger.runs.dropUnfinishedIngests(job);
  return { leftInFlight, ...(start && noteStart(ledger, job, start)) };
}

/**
 * The run whose outcomes may be kept. `run` may have fewer columns, because JSON lines gain columns
 * while they are read.
 */
function runFollowed({ runs }: Ledger, run: Run): Run | null {
  const [last] = runs.comparable(run);
  const isSame = last?.prunedAt === null && last.outcomeSettingsHash === run.outcomeSettingsHash;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : null;
}

export function requireFollowed(ledger: Ledger, run: Run): Run {
  const { job } = run;
  const newest = ledger.runs.newest(job);
  const isUnfinished = newest?.state === 'open' && newest.jobFingerprint !== run.jobFingerprint;
  if (isUnfinished) throw needsRun(`${runName(newest)} of ${job} has not finished`);
  const last = ledger.runs.newestFinished(job);
  if (!last) throw needsRun(`${job} has no finished run to add the corrections to`);
  if (last.held) {
    throw needsRun(
      `the result of ${runName(last)} is held, and corrections can only be added to a published result`,
    );
  }
  const followed = runFollowed(ledger, run);
  if (followed) return followed;
  throw needsRun(`the job or the columns of its list have changed since ${runName(last)}`);
}

function needsRun(message: string): DossierError {
  return new DossierError('FIX_NEEDS_RUN', message);
}
