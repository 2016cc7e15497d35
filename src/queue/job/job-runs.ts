import { randomUUID } from 'node:crypto';
import { DossierError, type ErrorCode, heldReason } from '../../errors.ts';
import { nothingPruned, type Wishes } from '../../ledger/care/prune-runs.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import type { StartFacts } from '../../ledger/runs/note-start.ts';
import type { NewRun, ReadList, Run } from '../../ledger/runs/runs.ts';
import type { Counts } from '../../rules/outcomes.ts';
import type { ListContent, RunBasis } from '../../rules/resume.ts';
import type { Thread } from '../../runtime/thread/thread.ts';
import { findFollowed } from '../kept/run-followed.ts';
import { openQueue } from '../open-queue.ts';
import type { QueueTerms } from '../queue-state.ts';
import type { IdentifiedRow, RunQueue } from '../run-queue.ts';
import { openQueueInThread } from '../thread/open-in-thread.ts';
import { requireOwned } from '../trouble/owned-run.ts';
import { type Patience, patienceMs, waitingWhileHeld, whileHeld } from '../trouble/while-held.ts';
import { completeList, startRun } from './begin-run.ts';
import { countDeadStarts } from './dead-starts.ts';
import { findSameList, findUnfinished, ownSince } from './find-unfinished.ts';
import { findFinished, rowsAgain } from './rows-again.ts';

/** The runs of a job, for the one process that holds the job. */
export interface JobRuns {
  readonly ledger: Ledger;
  /** The unfinished run that asks the same of the same list, and whose cache hits are still fresh. */
  findUnfinished(basis: RunBasis, asOf: number): Run | undefined;
  /** Finds that run by the content of a list, where its file has another stamp. */
  findSameList(list: ListContent, asOf: number): Run | undefined;
  /** The last run, where it has finished and asks the same by the same rules; whether of the same list, its stamp tells. */
  findFinished(jobFingerprint: string): Run | undefined;
  /** The rows of that run, for one over the same list. */
  rowsAgain(run: Run): Iterable<readonly IdentifiedRow[]>;
  /** The columns that made the keys in the last run; null where hashes did, undefined where none has run. */
  keyOfLastRun(inputPath: string): Run['keyColumns'] | undefined;
  /** How corrections fared with the list in the last run. */
  correctionsOfLastRun(inputPath: string): Run['corrections'] | undefined;
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
  prune(wishes: Wishes, now: number): Promise<typeof nothingPruned>;
  /** Whether the service of the job has ever given a hit. */
  isServiceProven(): boolean;
  /**
   * Notes that a run begins to make calls. Gives how many starts of the job before this one, in a
   * row, died with calls in flight and stored no answer.
   */
  beginCalling(run: Run, counts: Counts): Promise<number>;
}

/** How a run ends. */
export interface RunEnd {
  readonly exitCode?: number;
  readonly held?: Run['held'];
  /** Code of what went wrong, where the run has finished all the same. */
  readonly reason?: ErrorCode | undefined;
}

/** What a process that works on runs may bring. */
export interface JobParts extends Patience {
  /** Serves the queue of a run, where there is one. */
  readonly thread?: Thread | undefined;
  /** Notes this start in the ledger, and how it ends. */
  readonly start?: StartFacts | undefined;
}

/** What taking over the runs of a job told. */
export interface Taken {
  readonly leftInFlight: number;
  /** Undefined where the start is not noted. */
  readonly startId: number | undefined;
}

/** What the process that holds a job works with. */
export interface HolderParts extends JobParts, Taken {
  readonly isLookup: boolean;
}

export function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, isLookup, leftInFlight, startId, ...patience }: HolderParts,
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
    findFinished: (fingerprint) =>
      findFinished(ledger, terms, fingerprint, patience.start?.version),
    rowsAgain: (run) => rowsAgain(ledger, run),
    keyOfLastRun: (inputPath) => runs.newestKeyed({ job: terms.job, inputPath })?.keyColumns,
    correctionsOfLastRun: (inputPath) =>
      runs.newestKeyed({ job: terms.job, inputPath })?.corrections,
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
      const follows = isLookup ? undefined : findFollowed(ledger, run, terms);
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
    finish: ({ id }, endedAt, { exitCode = 0, held = null, reason = null } = {}) =>
      together(() => {
        requireOwned(ledger, { id, owner });
        runs.finish(id, endedAt, held);
        if (held) ledger.judging.forgetMisses(id);
        if (startId !== undefined) {
          ledger.starts.end(startId, { endedAt, exitCode, reason: held ? heldReason : reason });
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
    isServiceProven: () => ledger.calls.isProven(terms.serviceUrl),
    beginCalling: (run, { calls }) =>
      together(() => {
        const deadStarts = leftInFlight > 0 ? countDeadStarts(ledger, terms.job) : 0;
        const calling = { runId: run.id, callsBefore: calls.called, deadStarts };
        if (startId !== undefined) ledger.starts.putCalling(startId, calling);
        return deadStarts;
      }),
  };
}

/** Troubles of the disk that leave a ledger as it was. */
const mayWait: readonly ErrorCode[] = ['LEDGER_TROUBLE', 'LEDGER_BUSY'];
