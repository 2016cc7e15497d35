import { setImmediate as nextTurn } from 'node:timers/promises';
import { DossierError, withSentence } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { RunQueue } from '../../queue/run-queue.ts';
import { affordableCalls } from '../../rules/affordable-calls.ts';
import type { Counts } from '../../rules/outcomes.ts';
import type { SpentBudget } from '../../rules/shared-budget.ts';
import { localMinute } from '../../runtime/budget/calendar.ts';
import type { Clock } from '../../runtime/clock.ts';
import { openCallsAtOnce } from './calls-at-once.ts';
import {
  type CallsInFlight,
  type FlightOptions,
  openCallsInFlight,
  type ServiceCalls,
} from './calls-in-flight.ts';
import { type Charges, openCharges } from './charges.ts';
import { openRequestBudget, type RequestBudget } from './request-budget.ts';

export interface CallingOptions extends FlightOptions {
  readonly clock: Clock;
  readonly limits: Pick<ResolvedJob['limits'], 'concurrency' | 'rate' | 'attempts'>;
  /** The requests that may be charged, which the client counts, too. */
  readonly budget?: RequestBudget;
  readonly charges?: Charges;
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
  const { clock, limits, signal, budget = openRequestBudget() } = options;
  const { charges = openCharges(queue, { clock, budget, timezone: 'UTC' }) } = options;
  const callsAtOnce = openCallsAtOnce(limits, options.deadStarts);
  const flight = openCallsInFlight(api, { ...options, isFree: charges.isFree });
  let exchangedAt = clock.monotonicMs();
  let counts = await queue.counts();

  for (;;) {
    options.onProgress?.(counts);
    if (options.stopping.aborted) flight.stop(options.stopping.reason);
    const unsent = flight.takeUnsent();
    if (unsent.length > 0) await queue.release(unsent);

    const sinceMs = clock.monotonicMs() - exchangedAt;
    const { atOnce, maxInFlight } = callsAtOnce;
    const affordable = affordableCalls(budget, flight.count, limits.attempts);
    const wanted = flight.stopped ? 0 : Math.min(maxInFlight - flight.count, affordable);
    // Lease again when a quarter has come back: the others keep the wire busy during the commit.
    const leaseBelow = Math.max(atOnce, maxInFlight * 0.75);
    // Where no more may be leased, there is nothing to do until a call comes back.
    const hasRoom = flight.count <= leaseBelow && (wanted > 0 || flight.count === 0);
    const isWorthACommit = flight.count * 2 <= atOnce || sinceMs >= gatherMs;
    const isBatchDue = flight.answered >= batchSize || (flight.answered > 0 && sinceMs >= batchMs);
    if (!isBatchDue && !(hasRoom && isWorthACommit)) {
      await flight.next(hasRoom ? gatherMs : batchMs);
      continue;
    }

    const room = budget.reserveUpTo(wanted);
    const answers = flight.takeAnswers();
    const exchanging = queue.exchange(answers, room, charges.take());
    const { left, ...exchanged } = await exchanging.catch((error: unknown) => {
      throw withLostAnswers(error, answers.length + flight.answered + flight.failing, flight.count);
    });
    flight.release(answers);
    callsAtOnce.noteStored(answers.length);
    exchangedAt = clock.monotonicMs();
    counts = exchanged.counts;
    options.onProgress?.(counts);
    budget.refund(room - exchanged.calls.length);
    charges.noteLeased(exchanged.calls, exchanged.quarterAt);
    // A run that has stopped in the meantime sends none of them.
    if (flight.stopped) for (const { call } of exchanged.calls) charges.refund(call);
    flight.send(exchanged.calls);

    if (left === 'unseen' && !flight.stopped) await nextTurn();
    else if (flight.count + flight.answered > 0) await flight.next(batchMs);
    else if (flight.stopped) return await stop(queue, flight, flight.stopped.by);
    else if (flight.failing > 0) flight.judge();
    else if (left === 'elsewhere') await clock.sleep(awaitMs, signal);
    else if (counts.calls.open === 0) return counts;
    // Calls that came back during the exchange are open again after the next one.
    else if (flight.unsent > 0) continue;
    else if (exchanged.spent) throw sharedBudgetSpent(exchanged.spent, counts);
    else if (room > 0) throw new Error(stuck);
    else throw budgetSpent(budget, counts);
  }
}

const stuck = 'calls are open, and none of them can be made';

async function stop(queue: RunQueue, flight: CallsInFlight, reason: unknown): Promise<never> {
  const unsent = flight.takeUnsent();
  if (unsent.length > 0) await queue.release(unsent);
  const failing = flight.takeFailing().map((answer) => ({ ...answer, staysOpen: true as const }));
  if (failing.length > 0) await queue.exchange(failing, 0);
  // The run ends in order, so its leases do, too; where the ledger is in trouble, the next start ends them.
  if (flight.unanswered > 0) await queue.recover().catch(() => {});
  throw withUnanswered(reason, flight.unanswered);
}

/** Adds to the reason of a stop how many calls may have been charged without an answer. */
function withUnanswered(reason: unknown, unanswered: number): unknown {
  if (unanswered === 0 || !(reason instanceof DossierError)) return reason;
  const calls = unanswered === 1 ? '1 call' : `${unanswered} calls`;
  return withSentence(
    reason,
    `${calls} brought no answer and may have been charged; \`dossier status\` names them`,
  );
}

/** The ledger cannot name these calls any more, so the error counts them. */
function withLostAnswers(error: unknown, answers: number, inFlight: number): unknown {
  if (!(error instanceof DossierError) || error.code !== 'LEDGER_LOST') return error;
  return withSentence(
    error,
    `${answers} answers were not stored yet and are lost. Up to ${inFlight} calls in flight may have been charged`,
  );
}

function budgetSpent({ limit }: RequestBudget, { calls }: Counts): DossierError {
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${limit} requests a start is spent. ${openText(calls.open)}`,
  );
}

function sharedBudgetSpent(
  { per, limit, used, period, freeAtMs, timezone }: SpentBudget,
  { calls }: Counts,
): DossierError {
  const since = per === 'day' ? `on ${period}` : `in ${period}`;
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${limit} requests a ${per} is spent: ${used} were sent ${since} with this key, by all that uses the ledger. It is free again at ${localMinute(freeAtMs, timezone)} ${timezone}. ${openText(calls.open)}`,
  );
}

function openText(calls: number): string {
  return `${calls.toLocaleString('en')} ${calls === 1 ? 'call is' : 'calls are'} still open`;
}
