import type { CallRequest } from '../contract/call.ts';
import { keyedCall } from '../ledger/calls/call-key.ts';
import { lockJob } from '../ledger/file/job-lock.ts';
import { tellingTrouble } from '../ledger/file/ledger-trouble.ts';
import { takeLookupSlot } from '../ledger/file/lookup-slots.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import type { NewRun, Run } from '../ledger/runs/runs.ts';
import type { Counts, Source } from '../rules/outcomes.ts';
import { isResumable, type RunBasis } from '../rules/resume.ts';
import type { Thread } from '../runtime/thread/thread.ts';
import { openQueue, openQueueInThread } from './open-queue.ts';
import type { QueueTerms } from './queue-state.ts';
import type { RunQueue } from './run-queue.ts';

/** The runs of a job, for the one process that holds the job. */
export interface JobRuns {
  readonly ledger: Ledger;
  /** The unfinished run that asks the same of the same list. */
  findUnfinished(basis: RunBasis): Run | undefined;
  start(run: Omit<NewRun, 'job'>): Run;
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
  /**
   * Notes that a run begins to make calls. Gives how many starts of the job before this one, in a
   * row, died with calls in flight and stored no answer.
   */
  beginCalling(run: Run, counts: Counts): number;
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
  return await withLedger(terms, work, thread);
}

/** Holds a slot for a lookup, whose runs have the name of the slot: lookups may go on side by side. */
export async function withLookup<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
): Promise<Result> {
  using slot = takeLookupSlot(terms.ledgerPath);
  return await withLedger({ ...terms, job: slot.job }, work);
}

async function withLedger<Result>(
  terms: QueueTerms,
  work: (runs: JobRuns) => Promise<Result>,
  thread?: Thread,
): Promise<Result> {
  using ledger = openLedger(terms.ledgerPath);
  return await tellingTrouble(terms.ledgerPath, () => work(jobRuns(ledger, terms, thread)));
}

function jobRuns(ledger: Ledger, terms: QueueTerms, thread: Thread | undefined): JobRuns {
  const { runs } = ledger;
  // At once, and not when the list is read: other jobs may wait for calls that a dead run had leased.
  const leftInFlight = ledger.together(() => {
    const leases = ledger.calls.recover(terms.job);
    runs.dropUnfinishedIngests(terms.job);
    return leases;
  });
  return {
    ledger,
    findUnfinished: (basis) => findUnfinished(ledger, terms.job, basis),
    start: (run) => runs.start({ ...run, job: terms.job }),
    async open(run) {
      const queue = thread
        ? await openQueueInThread(thread, run, terms)
        : openQueue(ledger, run, terms);
      await queue.recover();
      return queue;
    },
    completeList: (run, list, counts) => completeList(ledger, run, list, counts),
    finish: ({ id }, endedAt) => ledger.together(() => runs.finish(id, endedAt)),
    beginCalling(run, { calls }) {
      const deadStarts = leftInFlight > 0 ? countDeadStarts(ledger, terms.job) : 0;
      const start = { runId: run.id, callsBefore: calls.called, deadStarts };
      ledger.together(() => ledger.starts.put(terms.job, start));
      return deadStarts;
    },
    answerOf(run, call) {
      const callId = ledger.calls.find(keyedCall(terms.serviceUrl, call).key);
      const completion = callId && ledger.calls.completion(run.id, callId);
      if (!completion) return undefined;
      return { source: completion.source, fetchedAt: completion.answer.fetchedAt };
    },
  };
}

/** Counts the last start, which died, and those before it, if none of them has stored an answer. */
function countDeadStarts({ starts, progress }: Ledger, job: string): number {
  const last = starts.last(job);
  if (!last) return 0;
  const called = progress.of(last.runId)?.calls.called ?? 0;
  // A start that stored answers and died all the same begins anew with as few calls as it began.
  return called > last.callsBefore ? last.deadStarts : last.deadStarts + 1;
}

export function findUnfinished(
  { runs }: Pick<Ledger, 'runs'>,
  job: string,
  basis: RunBasis,
): Run | undefined {
  const newest = runs.newest(job);
  return newest && isResumable(newest, basis) ? newest : undefined;
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
