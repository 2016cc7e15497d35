import type { CallRequest } from '../contract/call.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import { lockJob } from '../ledger/file/job-lock.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { takeLookupSlot } from '../ledger/file/lookup-slots.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import type { NewRun, Run } from '../ledger/runs/runs.ts';
import type { Counts, Source } from '../rules/outcomes.ts';
import {
  hasReadTheSame,
  isResumable,
  type ListContent,
  ownAnswersSince,
  type RunBasis,
} from '../rules/resume.ts';
import { freshFrom } from '../rules/reuse.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { openQueue, openQueueInThread } from './open-queue.ts';
import type { QueueTerms } from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';

/** The runs of a job, for the one process that holds the job. */
export interface JobRuns {
  readonly ledger: Ledger;
  /** The unfinished run that asks the same of the same list, and whose cache hits are still fresh. */
  findUnfinished(basis: RunBasis, asOf: number): Run | undefined;
  /** The same for a list that was read again, by what it holds. */
  findSameList(list: ListContent, asOf: number): Run | undefined;
  start(run: Omit<NewRun, 'job'>): Run;
  /** An unfinished run is taken up again. */
  resume(run: Run, facts: { startedAt: number; inputStamp: string | null }): Run;
  /** Removes a run whose list turned out to be that of another. */
  dropRead(): void;
  /** Opens the queue of a run; calls that a dead process had leased are open again. */
  open(run: Run): Promise<RunQueue>;
  /**
   * The whole list is in the queue: from here on the run can be resumed, and unfinished runs of the job
   * make way for it.
   */
  completeList(
    run: Run,
    list: { readonly columns: readonly string[]; readonly inputSha256: string },
    counts: Counts,
  ): Run;
  finish(run: Run, endedAt: number): void;
  /** How the answer to a call came to a run. */
  answerOf(run: Run, call: CallRequest): { source: Source; fetchedAt: number } | undefined;
}

/** Holds a job while its runs are worked on. Refuses where another process holds it. */
export async function withJob<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  thread?: Thread,
): Promise<Result> {
  using _lock = lockJob(terms.ledgerPath, terms.job);
  return await withLedger(terms, work, { thread });
}

/** Holds a slot for a lookup, whose runs have the name of the slot: lookups may go on side by side. */
export async function withLookup<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
): Promise<Result> {
  using slot = takeLookupSlot(terms.ledgerPath);
  // Lookups of one slot ask for different companies, so that none takes the place of another.
  return await withLedger({ ...terms, job: slot.job }, work, { isLookup: true });
}

async function withLedger<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  how: RunningWith,
): Promise<Result> {
  using ledger = openLedger(terms.ledgerPath);
  return await tellingTrouble(terms.ledgerPath, () => work(jobRuns(ledger, terms, how)));
}

interface RunningWith {
  readonly thread?: Thread | undefined;
  readonly isLookup?: boolean;
}

function jobRuns(
  ledger: Ledger,
  terms: QueueTerms,
  { thread, isLookup = false }: RunningWith,
): JobRuns {
  const { runs } = ledger;
  // At once, and not when the list is read: other jobs may wait for calls that a dead run had leased.
  ledger.together(() => {
    ledger.calls.recover(terms.job);
    runs.dropUnfinishedIngests(terms.job);
  });
  return {
    ledger,
    findUnfinished: (basis, asOf) => findUnfinished(ledger, terms, basis, asOf),
    findSameList: (list, asOf) => findSameList(ledger, terms, list, asOf),
    start: (run) => runs.start({ ...run, job: terms.job }),
    resume: (run, facts) => ledger.together(() => runs.resume(run, facts)),
    dropRead: () => ledger.together(() => runs.dropUnfinishedIngests(terms.job)),
    async open(opened) {
      const unfinishedSince = isLookup ? undefined : runs.unfinishedSince(terms.job);
      const ownSince = ownAnswersSince(opened, unfinishedSince);
      const run = { ...opened, ownSince };
      const queue = thread
        ? await openQueueInThread(thread, run, terms)
        : openQueue(ledger, run, terms);
      await queue.recover();
      return queue;
    },
    completeList: (run, list, counts) => completeList(ledger, run, list, counts),
    finish: ({ id }, endedAt) => ledger.together(() => runs.finish(id, endedAt)),
    answerOf(run, call) {
      const callId = ledger.calls.find(keyedCall(terms.serviceUrl, call).key);
      const completion = callId && ledger.calls.completion(run.id, callId);
      if (!completion) return undefined;
      return { source: completion.source, fetchedAt: completion.answer.fetchedAt };
    },
  };
}

export function findUnfinished(
  ledger: Pick<Ledger, 'runs'>,
  terms: Pick<QueueTerms, 'job' | 'reuse'>,
  basis: RunBasis,
  asOf: number,
): Run | undefined {
  const newest = ledger.runs.newest(terms.job);
  if (!newest || !isResumable(newest, basis)) return undefined;
  // A list that is gone cannot be read anew.
  return basis.input.kind === 'gone' || isStillFresh(ledger, newest, terms, asOf)
    ? newest
    : undefined;
}

export function findSameList(
  ledger: Pick<Ledger, 'runs'>,
  terms: Pick<QueueTerms, 'job' | 'reuse'>,
  list: ListContent,
  asOf: number,
): Run | undefined {
  const newest = ledger.runs.newest(terms.job);
  if (!newest || !hasReadTheSame(newest, list)) return undefined;
  return isStillFresh(ledger, newest, terms, asOf) ? newest : undefined;
}

/**
 * Whether no cache hit of an unfinished run has become stale since. Where one has, a new run over the
 * list asks for it anew, and takes what the unfinished run has paid for.
 */
function isStillFresh(
  { runs }: Pick<Ledger, 'runs'>,
  run: Run,
  { job, reuse }: Pick<QueueTerms, 'job' | 'reuse'>,
  asOf: number,
): boolean {
  const any = ownAnswersSince(run, runs.unfinishedSince(job));
  return !runs.hasTakenOlder(run.id, { any, ...freshFrom(reuse, asOf) });
}

export function completeList(
  ledger: Ledger,
  run: Run,
  list: Parameters<JobRuns['completeList']>[1],
  counts: Counts,
): Run {
  ledger.together(() => {
    ledger.runs.completeIngest(run, list);
    ledger.progress.put(run.id, counts);
  });
  return { ...run, ...list, state: 'open' };
}
