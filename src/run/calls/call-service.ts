import { setImmediate as nextTurn } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import type { RunQueue } from '../../queue/run-queue.ts';
import type { Counts } from '../../rules/outcomes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { openCallsAtOnce } from './calls-at-once.ts';
import { type FlightOptions, openCallsInFlight, type ServiceCalls } from './calls-in-flight.ts';

export interface CallingOptions extends FlightOptions {
  readonly clock: Clock;
  readonly limits: Pick<ResolvedJob['limits'], 'concurrency' | 'rate' | 'maxCalls'>;
  /** Starts in a row that died with calls in flight and stored no answer. */
  readonly deadStarts?: number;
  readonly onProgress?: (counts: Counts) => void;
}

/** Answers are stored in batches: a commit to the disk costs as much as two hundred inserts. */
const batchSize = 200;
const batchMs = 50;
/** While most calls are in flight, a commit for the others waits for more answers. */
const gatherMs = 2;
/** How often to look whether another run has got an answer that this one waits for. */
const awaitMs = 200;

/**
 * Makes the open calls of a run until none is left. The process may die at any instant: a call is
 * leased before it leaves, and its answer is stored with all that follows from it in one commit.
 * Throws what stops the run, after everything that has arrived is stored.
 */
export async function callService(
  queue: RunQueue,
  api: ServiceCalls,
  options: CallingOptions,
): Promise<Counts> {
  const { clock, limits, signal } = options;
  const pace = openCallsAtOnce(limits, options.deadStarts);
  const flight = openCallsInFlight(api, options);
  let callsLeft = limits.maxCalls ?? Number.POSITIVE_INFINITY;
  let exchangedAt = clock.monotonicMs();
  let counts = await queue.counts();

  for (;;) {
    options.onProgress?.(counts);
    if (options.stopping.aborted) flight.stop(options.stopping.reason);
    const unsent = flight.takeUnsent();
    if (unsent.length > 0) await queue.release(unsent);

    const sinceMs = clock.monotonicMs() - exchangedAt;
    const { atOnce, maxInFlight } = pace;
    // Lease again when a quarter has come back: the others keep the wire busy during the commit.
    const leaseBelow = Math.max(atOnce, maxInFlight * 0.75);
    const hasRoom = flight.count <= leaseBelow && flight.count < maxInFlight;
    const isWorthACommit = flight.count * 2 <= atOnce || sinceMs >= gatherMs;
    const isBatchDue = flight.answered >= batchSize || (flight.answered > 0 && sinceMs >= batchMs);
    if (!isBatchDue && !(hasRoom && isWorthACommit)) {
      await flight.next(hasRoom ? gatherMs : batchMs);
      continue;
    }

    const room = flight.stopped ? 0 : Math.min(callsLeft, maxInFlight - flight.count);
    const answers = flight.takeAnswers();
    const { left, ...exchanged } = await queue.exchange(answers, room);
    flight.release(answers);
    pace.noteStored(answers.length);
    exchangedAt = clock.monotonicMs();
    counts = exchanged.counts;
    options.onProgress?.(counts);
    callsLeft -= exchanged.calls.length;
    flight.send(exchanged.calls);

    if (left === 'unseen' && !flight.stopped) await nextTurn();
    else if (flight.count + flight.answered > 0) await flight.next(batchMs);
    else if (flight.stopped) return await stop(queue, flight.takeUnsent(), flight.stopped.by);
    else if (left === 'elsewhere') await clock.sleep(awaitMs, signal);
    else if (counts.calls.open === 0) return counts;
    else throw callsLeft > 0 ? new Error(stuck) : budgetSpent(limits, counts);
  }
}

const stuck = 'calls are open, and none of them can be made';

async function stop(queue: RunQueue, unsent: readonly number[], reason: unknown): Promise<never> {
  if (unsent.length > 0) await queue.release(unsent);
  throw reason;
}

function budgetSpent({ maxCalls }: CallingOptions['limits'], { calls }: Counts): DossierError {
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${maxCalls} calls is spent; ${calls.open} calls are still open`,
  );
}
