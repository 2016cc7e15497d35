import { randomUUID } from 'node:crypto';
import type { CallRequest } from '../contract/call.ts';
import { DossierError, type ErrorCode } from '../errors.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import { nothingPruned, type PrunedRuns } from '../ledger/care/prune/prune-runs.ts';
import type { Wishes } from '../ledger/care/prune/retention.ts';
import { keepLocked, lockJob } from '../ledger/file/job-lock.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { takeLookupSlot } from '../ledger/file/lookup-slots.ts';
import { refuseMissing } from '../ledger/file/prepare-file.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import { noteFailure, noteStart, type StartFacts } from '../ledger/runs/note-start.ts';
import type { NewRun, ReadList, Run } from '../ledger/runs/runs.ts';
import type { Counts, Source } from '../rules/outcomes.ts';
import type { ListContent, RunBasis } from '../rules/resume.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { findSameList, findUnfinished, ownSince } from './find-unfinished.ts';
import { requireFollowed, runFollowed } from './kept/require-followed.ts';
import { openQueue, openQueueInThread, waitingWhileHeld } from './open-queue.ts';
import type { QueueTerms } from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';
import { requireOwned } from './trouble/owned-run.ts';
import { busyMs, type Patience, patienceMs, whileHeld } from './trouble/while-held.ts';

/** The runs of a job, for the one process that holds the job. */
export interface JobRuns {
  readonly ledger: Ledger;
  /** The unfinished run that asks the same of the same list, and whose cache hits are still fresh. */
  findUnfinished(basis: RunBasis, asOf: number): Run | undefined;
  /** Finds that run by the content of a list, where its file has another stamp. */
  findSameList(list: ListContent, asOf: number): Run | undefined;
  /** The columns that made the keys in the last run; null where hashes did, undefined where none has run. */
  keyOfLastRun(): Run['keyColumns'] | undefined;
  /** How corrections fared with the list in the last run. */
  correctionsOfLastRun(): Run['corrections'] | undefined;
  start(run: Omit<NewRun, 'job' | 'listId'>): Promise<Run>;
  /** An unfinished run is taken up again. */
  resume(run: Run, facts: { startedAt: number; inputStamp: string | null }): Promise<Run>;
  /** Removes a run whose list turned out to be that of another. */
  dropRead(): Promise<void>;
  /** Opens the queue of a run; calls that a dead process had leased are open again. */
  open(run: Run): Promise<RunQueue>;
  /**
   * The whole list is in the queue: from here on the run can be resumed, and unfinished runs of the job
   * make way for it.
   */
  completeList(run: Run, list: ReadList): Promise<Run>;
  /**
   * Ends a run, and the start with this code. A run that is held leaves no miss in the cache: the next one
   * asks again.
   */
  finish(run: Run, endedAt: number, how?: RunEnd): Promise<void>;
  /**
   * Prunes old runs of the job. Where the ledger cannot be written just now, they wait for the end of the
   * next run: a run that has written its files does not fail for that.
   */
  prune(wishes: Wishes, now: number): Promise<PrunedRuns>;
  /** Whether the service of the job has ever given a hit. */
  isServiceProven(): boolean;
  /**
   * Notes that a run begins to make calls. Gives how many starts of the job before this one, in a
   * row, died with calls in flight and stored no answer.
   */
  beginCalling(run: Run, counts: Counts): Promise<number>;
  /** How the answer to a call came to a run. */
  answerOf(run: Run, call: CallRequest): { source: Source; fetchedAt: number } | undefined;
}

/** How a run ends. */
export interface RunEnd {
  readonly exitCode?: number;
  readonly held?: Run['held'];
}

/** What a process that works on runs may bring. */
export interface JobParts extends Patience {
  /** Serves the queue of a run, where there is one. */
  readonly thread?: Thread | undefined;
  /** Notes this start in the ledger, and how it ends. */
  readonly start?: StartFacts | undefined;
}

/** Holds a job while its runs are worked on. Refuses where another process holds it. */
export async function withJob<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
): Promise<Result> {
  requireLedger(terms);
  using lock = lockJob(terms.ledgerPath, terms.job);
  using _kept = keepLocked(lock);
  return await withLedger(terms, work, { ...parts, isLookup: false });
}

/** Holds a slot for a lookup, whose runs have the name of the slot: lookups may go on side by side. */
export async function withLookup<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: JobParts = {},
): Promise<Result> {
  requireLedger(terms);
  using slot = takeLookupSlot(terms.ledgerPath);
  using _kept = keepLocked(slot);
  // Lookups of one slot ask for different companies, so that none takes the place of another.
  return await withLedger({ ...terms, job: slot.job }, work, { ...parts, isLookup: true });
}

/** Before a lock is taken, which would make the folder of a ledger that has vanished. */
function requireLedger({ ledgerMustExist, ledgerPath }: QueueTerms): void {
  if (ledgerMustExist) refuseMissing(ledgerPath);
}

async function withLedger<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  parts: LedgerParts,
): Promise<Result> {
  const bounded = { ...parts, limitMs: patienceMs };
  const { ledgerPath, ledgerMustExist: mustExist = false, rescueFolders } = terms;
  const open = () => openLedger(ledgerPath, { busyMs, rescueFolders, mustExist });
  using ledger = await whileHeld(open, bounded);
  let startId: number | undefined;
  try {
    return await tellingTrouble(ledgerPath, async () => {
      // At once, and not when the list is read: other jobs may wait for calls that a dead run had leased.
      const taking = () => ledger.together(() => takeOver(ledger, terms.job, parts.start));
      const taken = await whileHeld(taking, bounded);
      startId = taken.startId;
      return await work(jobRuns(ledger, terms, { ...parts, ...taken }));
    });
  } catch (error) {
    if (startId !== undefined && parts.start) noteFailure(ledger, startId, parts.start, error);
    throw error;
  }
}

interface LedgerParts extends JobParts {
  readonly isLookup: boolean;
}

/**
 * Takes the runs of a job from a dead process, with the calls that it had in flight, and notes the start. A
 * process that lives and has lost its lock stops at its next write.
 */
function takeOver({ calls, runs, starts }: Ledger, job: string, start: JobParts['start']): Taken {
  const leftInFlight = calls.recover(job);
  runs.disown(job);
  runs.dropUnfinishedIngests(job);
  return { leftInFlight, startId: start && noteStart(starts, job, start) };
}

/** What taking over the runs of a job told. */
interface Taken {
  readonly leftInFlight: number;
  /** Undefined where the start is not noted. */
  readonly startId: number | undefined;
}

function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, isLookup, leftInFlight, startId, ...patience }: LedgerParts & Taken,
): JobRuns {
  const { runs } = ledger;
  const owner = randomUUID();
  const bounded = { ...patience, limitMs: patienceMs };
  const together = <Result>(work: () => Result) => whileHeld(() => ledger.together(work), bounded);
  const noteRun = ({ id }: Run) => {
    if (startId !== undefined) ledger.starts.putRun(startId, id);
  };
  return {
    ledger,
    findUnfinished: (basis, asOf) => findUnfinished(ledger, terms, basis, asOf),
    findSameList: (list, asOf) => findSameList(ledger, terms, list, asOf),
    keyOfLastRun: () => runs.newestKeyed(terms.job)?.keyColumns,
    correctionsOfLastRun: () => runs.newestKeyed(terms.job)?.corrections,
    start: (run) => together(() => startRun(ledger, { ...run, job: terms.job })),
    resume: (run, facts) =>
      together(() => {
        noteRun(run);
        return runs.resume(run, facts);
      }),
    dropRead: () => together(() => runs.dropUnfinishedIngests(terms.job)),
    async open(run) {
      await together(() => runs.take(run.id, owner));
      const since = isLookup ? run.startedAt : ownSince(runs, run, terms);
      const follows = isLookup ? undefined : followed(ledger, run, terms);
      const taken = { ...run, owner, ownSince: since, follows };
      const opened = thread
        ? await whileHeld(() => openQueueInThread(thread, taken, terms), bounded)
        : openQueue(ledger, taken, terms);
      const queue = waitingWhileHeld(opened, patience);
      await queue.recover();
      return queue;
    },
    completeList: (run, list) =>
      together(() => {
        noteRun(run);
        return completeList(ledger, { ...run, owner }, list);
      }),
    finish: ({ id }, endedAt, { exitCode = 0, held = null } = {}) =>
      together(() => {
        requireOwned(ledger, { id, owner });
        runs.finish(id, endedAt, held);
        if (held) ledger.judging.forgetMisses(id);
        if (startId !== undefined) {
          ledger.starts.end(startId, { endedAt, exitCode, reason: null });
        }
      }),
    async prune(wishes, now) {
      try {
        return await together(() => ledger.retention.keep(terms.job, wishes, now));
      } catch (error) {
        const isOfDisk = error instanceof DossierError && mayWait.includes(error.code);
        if (isOfDisk) return nothingPruned;
        throw error;
      }
    },
    isServiceProven: () => ledger.services.isProven(terms.serviceUrl),
    beginCalling: (run, { calls }) =>
      together(() => {
        const deadStarts = leftInFlight > 0 ? countDeadStarts(ledger, terms.job) : 0;
        const calling = { runId: run.id, callsBefore: calls.called, deadStarts };
        if (startId !== undefined) ledger.starts.putCalling(startId, calling);
        return deadStarts;
      }),
    answerOf(run, call) {
      const callId = ledger.calls.find(keyedCall(terms.serviceUrl, call).key);
      const completion = callId && ledger.calls.completion(run.id, callId);
      if (!completion) return undefined;
      return { source: completion.source, fetchedAt: completion.answer.fetchedAt };
    },
  };
}

/** Troubles of the disk that leave a ledger as it was. */
const mayWait: readonly ErrorCode[] = ['LEDGER_TROUBLE', 'LEDGER_BUSY'];

/** Counts the last start, which died, and those before it, if none of them has stored an answer. */
function countDeadStarts({ starts, progress }: Ledger, job: string): number {
  const last = starts.lastCalling(job);
  if (!last) return 0;
  const called = progress.of(last.runId)?.calls.called ?? 0;
  // After a start that stored answers and died all the same, the next makes as few calls at once.
  return called > last.callsBefore ? last.deadStarts : last.deadStarts + 1;
}

/** Runs inside a transaction. */
export function completeList(ledger: Ledger, run: Run, list: ReadList): Run {
  requireOwned(ledger, run);
  const listId = ledger.lists.complete(run.listId);
  ledger.runs.completeIngest(run, { ...list, listId });
  return { ...run, corrections: null, ...list, listId, state: 'open' };
}

/** Runs inside a transaction. */
export function startRun(ledger: Ledger, run: Omit<NewRun, 'listId'>): Run {
  return ledger.runs.start({ ...run, listId: ledger.lists.begin() });
}

function followed(ledger: Ledger, run: Run, { keepsOutcomes }: QueueTerms): Run | undefined {
  return keepsOutcomes ? requireFollowed(ledger, run) : runFollowed(ledger, run);
}
