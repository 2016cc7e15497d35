import { randomUUID } from 'node:crypto';
import type { Records } from '../../core/columns/run-records.ts';
import { DossierError, type ErrorCode, heldReason } from '../../core/errors.ts';
import type { Expectation } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import type { Thread } from '../../platform/thread/thread.ts';
import { nothingPruned, type Wishes } from '../ledger/care/prune-ledger.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { withLedgerErrorsAsync } from '../ledger/file/ledger-path.ts';
import { lockJob, takeLookupSlot } from '../ledger/file/locks.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import type { NewRun, ReadList, Run } from '../ledger/runs/runs.ts';
import { noteFailure, noteStart, type StartFacts } from '../ledger/runs/starts.ts';
import { createAskedServices } from '../queue/asked-services.ts';
import { openQueue } from '../queue/open-queue.ts';
import { type QueueTerms, queuedRun, requireOwned } from '../queue/queue-terms.ts';
import { createAnswerCache } from '../queue/reuse/answer-cache.ts';
import { completeKnown, type RunQueue } from '../queue/run-queue.ts';
import { openQueueInThread } from '../queue/serve-queue.ts';
import {
  type BusyWait,
  busyLimitMs,
  runBusyMs,
  waitingWhileHeld,
  whileBusy,
} from '../queue/while-busy.ts';
import { type CallsAhead, callsAhead } from './calls-ahead.ts';
import { type EarlierRuns, requireFollowed, runFollowed, runsBefore } from './earlier-runs.ts';
import { renewAdapter } from './judge-again.ts';
import { listCheck, type SettledResult, settleResult } from './settle-result.ts';

interface JobParts extends BusyWait {
  readonly thread?: Thread | undefined;
  readonly start?: StartFacts | undefined;
}

/** What reading a list needs. A plan has its own, on a scratch ledger. */
export interface RunsToOpen extends EarlierRuns {
  start(run: BegunRun): Promise<Run>;
  resume(run: Run, startedAt: number): Promise<Run>;
  open(run: Run): Promise<RunQueue>;
  /** Why the list must not be looked up, in words. */
  checkList: ReturnType<typeof listCheck>;
  /** Drops what was read of a list. */
  dropRead(): Promise<void>;
  /** After this, the run can be resumed. */
  completeList(run: Run, list: ReadList): Promise<Run>;
}

/** The runs of a job whose lock this process holds, each step in a transaction of its own. */
export interface JobRuns extends RunsToOpen {
  readonly ledger: Ledger;
  /** What became of answers because rules of an adapter changed. */
  readonly adapterNotes: readonly string[];
  readonly records: Records;
  putJobFile(path: string): Promise<void>;
  /** Completes the calls that cached answers can complete, and counts the others. */
  callsAhead(run: Run, queue: RunQueue): Promise<CallsAhead>;
  /** Returns how many starts of this job died one after the other with calls in flight. */
  beginCalling(run: Run, counts: Counts): Promise<number>;
  settleResult(
    run: Run,
    expectations: readonly Expectation[],
    counts: Counts,
  ): Promise<SettledResult>;
  finish(
    run: Run,
    endedAt: number,
    exitCode?: number,
    held?: Run['held'],
    reason?: ErrorCode | null,
  ): Promise<void>;
  /** A run that has written its files must not fail because of pruning. */
  prune(wishes: Wishes, now: number): Promise<typeof nothingPruned>;
}

function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, start, ...busyWait }: JobParts,
  {
    leftInFlight,
    startId,
    adapterNotes,
  }: ReturnType<typeof takeOver> & { readonly adapterNotes: readonly string[] },
): JobRuns {
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
    start: (run) => inTransaction(() => startRun(ledger, terms, run)),
    resume: (run, startedAt) =>
      inTransaction(() => {
        noteRun(run);
        return runs.resume(run, startedAt);
      }),
    putJobFile: (path) => inTransaction(() => void runs.putJobFile(job, path)),
    dropRead: () => inTransaction(() => runs.dropUnfinishedIngests(job)),
    async open(run) {
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
    async callsAhead(run, queue) {
      await completeKnown(queue);
      const services = createAskedServices(ledger, terms.services);
      const { choose } = createAnswerCache(ledger, queuedRun(ledger, run, terms), services);
      return callsAhead(ledger, run.id, terms, ledger, choose);
    },
    completeList: (run, list) =>
      inTransaction(() => {
        noteRun(run);
        return completeList(ledger, { ...run, owner }, list);
      }),
    finish: ({ id }, endedAt, exitCode = 0, held = null, reason = null) =>
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
    settleResult: (run, expectations, counts) =>
      inTransaction(() => {
        requireOwned(ledger, { id: run.id, owner });
        return settleResult(ledger, terms, expectations, run, counts);
      }),
    async prune(wishes, now) {
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
    beginCalling: (run, { calls }) =>
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
