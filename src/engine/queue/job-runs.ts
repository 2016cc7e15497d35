import { randomUUID } from 'node:crypto';
import { DossierError, type ErrorCode, heldReason } from '../../core/errors.ts';
import type { Expectation } from '../../core/rules/expectations.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import {
  hasReadTheSame,
  isResumable,
  type ListContent,
  ownAnswersSince,
  type RunBasis,
} from '../../core/rules/resume.ts';
import type { Thread } from '../../core/runtime/thread/thread.ts';
import { nothingPruned, type Wishes } from '../ledger/care/prune-ledger.ts';
import { refuseMissing } from '../ledger/file/ledger-file.ts';
import { tellingTrouble } from '../ledger/file/ledger-path.ts';
import { lockJob, takeLookupSlot } from '../ledger/file/locks.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import { type NewRun, type ReadList, type Run, runName } from '../ledger/runs/runs.ts';
import { noteFailure, noteStart, type StartFacts } from '../ledger/runs/starts.ts';
import { isBlindTo, judgeList, judgeRun, suspectsIn } from './judge-run.ts';
import { openQueue } from './open-queue.ts';
import { type QueueTerms, requireOwned } from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';
import { openQueueInThread } from './serve-queue.ts';
import { busyMs, type Patience, patienceMs, waitingWhileHeld, whileHeld } from './while-held.ts';

/** What a process that works on runs may bring. */
export interface JobParts extends Patience {
  /** Serves the queue of a run, where there is one. */
  readonly thread?: Thread | undefined;
  /** Notes this start in the ledger, and how it ends. */
  readonly start?: StartFacts | undefined;
}

/** The runs of a job, for the one process that holds the job. */
export type JobRuns = ReturnType<typeof jobRuns>;

/** What opening a run needs, of a job or of a plan. */
export type RunsToOpen = Omit<JobRuns, 'ledger' | 'finish' | 'prune' | 'beginCalling' | 'judge'>;

function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, ...patience }: JobParts,
  isLookup: boolean,
  { leftInFlight, startId }: ReturnType<typeof takeOver>,
) {
  const { runs, starts } = ledger;
  const { job } = terms;
  const owner = randomUUID();
  const bounded = { ...patience, limitMs: patienceMs };
  const together = <Result>(work: () => Result) => whileHeld(() => ledger.together(work), bounded);
  const noteRun = ({ id }: Run) => {
    if (startId !== undefined) starts.putRun({ id: startId, runId: id });
  };
  return {
    ledger,
    ...runsBefore(ledger, terms),
    start: (run: Omit<NewRun, 'job' | 'listId'>) =>
      together(() => startRun(ledger, { ...run, job })),
    /** An unfinished run is taken up again. */
    resume: (run: Run, facts: Parameters<typeof runs.resume>[1]) =>
      together(() => {
        noteRun(run);
        return runs.resume(run, facts);
      }),
    /** Removes a run whose list turned out to be that of another. */
    dropRead: () => together(() => runs.dropUnfinishedIngests(job)),
    /** Opens the queue of a run; calls that a dead process had leased are open again. */
    async open(run: Run): Promise<RunQueue> {
      await together(() => runs.take(owner, run.id));
      const follow = terms.keepsOutcomes ? requireFollowed : runFollowed;
      const before = isLookup
        ? { ownSince: run.startedAt }
        : { ...answersBefore(ledger, run, terms), follows: follow(ledger, run) };
      const taken = { ...run, owner, ...before };
      const opened = thread
        ? await whileHeld(() => openQueueInThread(thread, taken, terms), bounded)
        : openQueue(ledger, taken, terms);
      const queue = waitingWhileHeld(opened, patience);
      await queue.recover();
      return queue;
    },
    judgeList: (
      ...list: Parameters<typeof judgeList> extends [unknown, unknown, ...infer Rest] ? Rest : never
    ) => judgeList(ledger, ledger, ...list),
    /**
     * The whole list is in the queue: from here on the run can be resumed, and unfinished runs of the job
     * make way for it.
     */
    completeList: (run: Run, list: ReadList) =>
      together(() => {
        noteRun(run);
        return completeList(ledger, { ...run, owner }, list);
      }),
    /**
     * Ends a run, and the start with this code; `reason` is the code of what went wrong, where the run has finished
     * all the same.
     */
    finish: (
      { id, rowLimit }: Run,
      endedAt: number,
      exitCode = 0,
      held: Run['held'] = null,
      reason: ErrorCode | null = null,
    ) =>
      together(() => {
        requireOwned(ledger, { id, owner });
        runs.finish(id, endedAt, held);
        if (startId === undefined) return;
        starts.end({ id: startId, endedAt, exitCode, reason: held ? heldReason : reason });
        if (!held && reason === null && rowLimit === null) starts.delivered({ job, runId: id });
      }),
    /** Judges a run whose rows have all ended, before it is published. */
    judge: (run: Run, expectations: readonly Expectation[], counts: Counts) =>
      together(() => {
        requireOwned(ledger, { id: run.id, owner });
        return judgeRun(ledger, terms, expectations, run, counts);
      }),
    /**
     * Prunes old runs of the job. Where the ledger cannot be written just now, they wait for the end of the
     * next run: a run that has written its files does not fail for that.
     */
    async prune(wishes: Wishes, now: number) {
      try {
        return await together(() => {
          const pruned = ledger.retention.keep(job, wishes, now);
          if (terms.leftOut) ledger.expire(job, terms.leftOut, now);
          return pruned;
        });
      } catch (error) {
        if (error instanceof DossierError && mayWait.includes(error.code)) return nothingPruned;
        throw error;
      }
    },
    /**
     * Notes that a run begins to make calls. Gives how many starts of the job before this one, in a
     * row, died with calls in flight and stored no answer.
     */
    beginCalling: (run: Run, { calls }: Counts) =>
      together(() => {
        const deadStarts = leftInFlight > 0 ? countDeadStarts(ledger, job) : 0;
        const calling = { runId: run.id, callsBefore: calls.made + calls.failed, deadStarts };
        if (startId !== undefined) starts.putCalling({ id: startId, ...calling });
        return deadStarts;
      }),
  };
}

/** Troubles of the disk that leave a ledger as it was. */
const mayWait: readonly ErrorCode[] = ['LEDGER_TROUBLE', 'LEDGER_BUSY'];

/** Runs inside a transaction. */
export function startRun(ledger: Ledger, run: Omit<NewRun, 'listId'>): Run {
  return ledger.runs.start({ ...run, listId: ledger.lists.begin() });
}

/** Runs inside a transaction. */
export function completeList(ledger: Ledger, run: Run, list: ReadList): Run {
  requireOwned(ledger, run);
  const listId = ledger.lists.complete(run.listId);
  ledger.runs.completeIngest(run, { ...list, listId });
  return { ...run, corrections: null, ...list, listId, state: 'open' };
}

/** Counts the last start, which died, and those before it, if none of them has stored an answer. */
function countDeadStarts({ starts, progress }: Ledger, job: string): number {
  const last = starts.lastCalling(job);
  if (!last) return 0;
  const { made, failed } = progress.of(last.runId).calls;
  // After a start that stored answers and died all the same, the next makes as few calls at once.
  return made + failed > last.callsBefore ? last.deadStarts : last.deadStarts + 1;
}

/** Which answers of earlier runs a run, or its plan, takes. */
export function answersBefore(ledger: Ledger, run: Run, terms: QueueTerms) {
  const suspects = suspectsIn(ledger, run);
  const refresh = terms.isRefresh ? run.jobFingerprint : null;
  return {
    // Answers of unfinished runs are its own, but what they missed is asked again with the other suspects.
    ownSince:
      suspects.length > 0
        ? run.startedAt
        : ownAnswersSince(run, ledger.runs.unfinishedSince(run, refresh)),
    suspects,
    isBlind: isBlindTo(ledger, terms),
  };
}

/** What a run takes from those before it. A plan may be made without a ledger. */
export function runsBefore(ledger: Ledger | undefined, { job }: QueueTerms) {
  // Where a cache hit has become stale since, a new run over the list asks for it anew, and takes what the
  // unfinished run has paid for.
  const ifFresh = (run: Run, asOf: number) =>
    ledger && asOf < ledger.progress.freshUntil(run.id) && !stillMissed(ledger, run)
      ? run
      : undefined;
  return {
    /** The unfinished run that asks the same of the same list, and whose cache hits are still fresh. */
    findUnfinished(basis: RunBasis, asOf: number): Run | undefined {
      const newest = ledger?.runs.newest(job);
      if (!newest || !isResumable(newest, basis)) return undefined;
      // A list that is gone cannot be read anew.
      return basis.input.kind === 'gone' ? newest : ifFresh(newest, asOf);
    },
    /** Finds that run by the content of a list, where its file has another stamp. */
    findSameList(list: ListContent, asOf: number): Run | undefined {
      const newest = ledger?.runs.newest(job);
      return newest && hasReadTheSame(newest, list) ? ifFresh(newest, asOf) : undefined;
    },
    /** The last run that tells how the keys of its rows were made, and how corrections fared with its list. */
    lastKeyed: (inputPath: string) => ledger?.runs.newestKeyed(job, inputPath),
  };
}

/** Whether the last start of a run stopped because vanished companies still missed: a new run asks for them again. */
function stillMissed({ starts }: Ledger, { id, job }: Run): boolean {
  const last = starts.list(job, startsKept).find(({ runId }) => runId === id);
  return last?.reason === 'STILL_VANISHED';
}

/** The ledger holds no more of a job. */
const startsKept = 200;

/**
 * Holds a job while its runs are worked on. Refuses where another process holds it. A lookup holds a slot, whose
 * name its runs have: lookups may go on side by side, and none takes the place of another.
 */
export async function withJob<Result>(
  given: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
  isLookup = false,
): Promise<Result> {
  const { ledgerPath, ledgerMustExist: mustExist = false } = given;
  // Before a lock is taken, which would make the folder of a ledger that has vanished.
  if (mustExist) refuseMissing(ledgerPath);
  using lock: Disposable & { readonly job?: string } = isLookup
    ? takeLookupSlot(ledgerPath)
    : lockJob(ledgerPath, given.job);
  const terms = { ...given, job: lock.job ?? given.job };
  const bounded = { ...parts, limitMs: patienceMs };
  using ledger = await whileHeld(() => openLedger(ledgerPath, { busyMs, mustExist }), bounded);
  ledger.records.leaveOut(terms.leftOut, parts.start?.clock.wallMs());
  let startId: number | undefined;
  try {
    return await tellingTrouble(ledgerPath, async () => {
      // At once, and not when the list is read: other jobs may wait for calls that a dead run had leased.
      const taking = () => ledger.together(() => takeOver(ledger, terms.job, parts.start));
      const taken = await whileHeld(taking, bounded);
      startId = taken.startId;
      return await work(jobRuns(ledger, terms, parts, isLookup, taken));
    });
  } catch (error) {
    if (startId !== undefined && parts.start) noteFailure(ledger, startId, parts.start, error);
    throw error;
  }
}

/**
 * Takes the runs of a job from a dead process, with the calls that it had in flight, and notes the start. A
 * process that lives and has lost its lock stops at its next write.
 */
function takeOver(ledger: Ledger, job: string, start: JobParts['start']) {
  const leftInFlight = ledger.calls.recover(job);
  ledger.runs.disown(job);
  ledger.runs.dropUnfinishedIngests(job);
  return { leftInFlight, startId: start && noteStart(ledger, job, start) };
}

/**
 * The run that this one is compared with, where this one would come to the same records by the same answers. Cells
 * under another header make other records. Of JSON lines not every column may be known yet.
 */
function runFollowed({ runs }: Ledger, run: Run): Run | undefined {
  const [last] = runs.comparable(run);
  const isSame = last?.prunedAt === null && last.verdictTerms === run.verdictTerms;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : undefined;
}

/** The run whose outcomes all stand in one that only fixes rows. Refuses where there is none. */
export function requireFollowed(ledger: Ledger, run: Run): Run {
  const { job } = run;
  const newest = ledger.runs.newest(job);
  const isUnfinished = newest?.state === 'open' && newest.jobFingerprint !== run.jobFingerprint;
  if (isUnfinished) throw needsRun(`${runName(newest)} of ${job} has not finished`);
  const last = ledger.runs
    .list(job)
    .find(({ id, state, rowLimit }) => id < run.id && state === 'finished' && rowLimit === null);
  if (!last) throw needsRun(`${job} has no finished run whose rows could stand`);
  if (last.held) {
    throw needsRun(`the result of ${runName(last)} is held, so its rows cannot be kept`);
  }
  const followed = runFollowed(ledger, run);
  if (followed) return followed;
  throw needsRun(`the job or the columns of its list have changed since ${runName(last)}`);
}

function needsRun(message: string): DossierError {
  return new DossierError('FIX_NEEDS_RUN', message);
}
