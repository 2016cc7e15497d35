import { setImmediate as nextTurn } from 'node:timers/promises';
import { budgetRemedy } from '../../core/errors/catalog.ts';
import { DossierError, withSentence } from '../../core/errors.ts';
import type { SpentBudget } from '../../core/rules/budgets.ts';
import type { Counts } from '../../core/rules/outcomes.ts';
import { localMinute } from '../../core/values/calendar.ts';
import { counted, formatNumber } from '../../core/values/format.ts';
import { formatMoney, microsPerUnit } from '../../core/values/money.ts';
import { type Answer, mostCalls, type RunQueue } from '../../engine/queue/run-queue.ts';
import type { ResolvedJob, ResolvedService } from '../../job/resolved-job.ts';
import type { Clock } from '../../platform/clock.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import type { Charges } from './charges.ts';
import { type ExchangeEnd, type LoopState, nextStep, type Step } from './next-step.ts';
import type { Router } from './router.ts';
import { createSender, type Sender } from './sender.ts';

/** Limits memory: the bodies of a batch are copied together. */
const batchBytes = 32 * 1_024 * 1_024;
const otherRunsPollMs = 200;
const answersPerExtraCall = 4;
/** Measured without a rate limit: seven use more CPU and memory than three and are no faster. */
const queuedPerConnection = 3;
const mostQueued = 64 * queuedPerConnection;

export interface CallingOptions {
  readonly clock: Clock;
  readonly charges: Charges;
  /** Stops the run. Requests in flight continue. */
  readonly stopping: AbortSignal;
  /** Abandons requests in flight too. */
  readonly signal: AbortSignal;
  readonly limits: Pick<ResolvedJob['limits'], 'concurrency' | 'rate'>;
  /** In the order of the job. */
  readonly services: readonly (Pick<ResolvedService, 'rate'> & { readonly attempts: number })[];
  readonly deadStarts?: number;
  readonly onProgress?: (counts: Counts) => void;
}

/**
 * The process may die at any time, so these rules must hold:
 * - A call is leased before its request leaves. After a crash, leased calls may have been charged.
 * - One commit stores answers and leases the next calls.
 * - A leased call is answered, `unsent` and returned, or `unanswered` and possibly charged.
 * - Requests are reserved in the budget before calls are leased.
 * - After a stop, the loop throws only when everything received is stored.
 * - If one of several services stops, calls to the others go on. Then the loop throws its reason.
 */
export async function callLoop(
  queue: RunQueue,
  router: Router,
  options: CallingOptions,
): Promise<Counts> {
  const { clock, limits, services, charges, signal, deadStarts = 0, onProgress } = options;
  const sender = createSender(queue, router, services.length, options);
  let counts = await queue.counts();
  let stored = 0;
  let exchangedAt = clock.monotonicMs();
  let nothingToLease: readonly boolean[] = [];
  let exchanged: ExchangeEnd | undefined;

  const lookAround = (): LoopState => {
    const callsAtOnce = allowedAtOnce(limits.concurrency, deadStarts, stored);
    return {
      services: services.map(({ rate = limits.rate, attempts }, index) => ({
        ...sender.stateOf(index),
        attempts,
        mostInFlight: mostInFlight(callsAtOnce, limits.concurrency, rate),
        left: charges.budget.leftAt(index),
        nothingToLease: nothingToLease[index] === true,
      })),
      isStopped: sender.stops.isRunStopped(),
      answers: sender.answers.length,
      fitting: countFitting(sender.answers),
      unsent: sender.unsent.length,
      open: counts.calls.open,
      callsAtOnce,
      sinceExchangeMs: clock.monotonicMs() - exchangedAt,
      exchanged,
    };
  };

  for (;;) {
    if (!exchanged) {
      onProgress?.(counts);
      sender.stops.noteStop();
      await sender.returnUnsent();
    }
    const step = nextStep(lookAround());
    exchanged = undefined;
    switch (step.do) {
      case 'exchange': {
        const end = await exchange(queue, sender, charges, step);
        ({ counts, nothingToLease = [] } = end);
        stored += end.stored;
        exchangedAt = clock.monotonicMs();
        onProgress?.(counts);
        if (end.vanished !== undefined) throw new DossierError('STILL_VANISHED', end.vanished);
        await sender.send(end.calls);
        exchanged = end;
        break;
      }
      case 'wait':
        await sender.waitForEnd(step.ms);
        break;
      case 'look-again':
        await nextTurn();
        break;
      case 'decide-failures':
        sender.decideFailures();
        break;
      case 'wait-for-runs':
        await clock.sleep(otherRunsPollMs, signal);
        break;
      case 'done':
        return counts;
      case 'stop':
        throw await sender.end();
      case 'end-of-budget':
        throw budgetSpent(charges.budget.limitOf(step.serviceIndex), step.spent, counts.calls.open);
    }
  }
}

/**
 * If earlier starts of this run died, this start may die too, and its calls in flight would be paid
 * for twice. So it begins with fewer calls at a time, and adds more as answers are stored.
 */
export function allowedAtOnce(concurrency: number, deadStarts: number, stored: number): number {
  const atFirst = Math.max(1, Math.floor(concurrency / 2 ** deadStarts));
  return Math.min(concurrency, atFirst + Math.floor(stored / answersPerExtraCall));
}

/** Calls queued in the client keep the connections busy during a commit. */
function mostInFlight(
  atOnce: number,
  concurrency: number,
  rate: ResolvedJob['limits']['rate'],
): number {
  if (atOnce < Math.max(concurrency, 32)) return atOnce;
  const queued = atOnce * (rate === 'none' ? queuedPerConnection : 1);
  return atOnce + Math.min(queued, mostQueued);
}

/** Reserves requests, stores answers and leases calls. */
async function exchange(
  queue: RunQueue,
  sender: Sender,
  charges: Charges,
  { wanted, fitting }: Extract<Step, { do: 'exchange' }>,
) {
  const { budget } = charges;
  const { answers } = sender;
  const wasFull = fitting < answers.length;
  const rooms = wanted.map((room, index) =>
    room === 'skip' || room === 0 ? room : budget.reserve(room, index),
  );
  const batch = answers.splice(0, fitting);
  const exchanging = queue.exchange(batch, rooms, charges.drainBookings());
  const exchanged = await exchanging.catch((error: unknown) => {
    throw withLostAnswers(error, batch.length + sender.countUnstored(), sender.countInFlight());
  });
  const misread = new Set(exchanged.misread);
  const stored = batch.filter(({ callId }) => !misread.has(callId));
  for (const answer of stored) {
    budget.at(answer.serviceIndex).noteAnswer(answer);
    charges.end(answer.callId);
    sender.noteStored(answer);
  }
  for (const [index, room] of rooms.entries()) {
    const leased = exchanged.calls.filter(({ serviceIndex }) => serviceIndex === index).length;
    budget.at(index).reserve(leased - mostCalls(room));
  }
  charges.noteLeased(exchanged.calls, exchanged.reservedQuarterAt);
  for (const answer of batch) if (misread.has(answer.callId)) sender.judgeMisread(answer);
  return { ...exchanged, rooms, wasFull, stored: stored.length };
}

function countFitting(answers: readonly Answer[]) {
  let bytes = 0;
  const tooLarge = answers.findIndex(({ result }, index) => {
    bytes += 'body' in result ? result.body.length : 0;
    return index > 0 && bytes > batchBytes;
  });
  return tooLarge === -1 ? answers.length : tooLarge;
}

/** A lost ledger cannot list these calls, so the error counts them. */
function withLostAnswers(error: unknown, answers: number, inFlight: number) {
  if (!(error instanceof DossierError) || error.code !== 'LEDGER_MISSING') return error;
  return withSentence(
    error,
    `Answers lost before they were stored: ${answers}. Up to ${counted(inFlight, 'call')} in flight may have been charged`,
  );
}

function budgetSpent(ofStart: string, spent: SpentBudget | undefined, open: number) {
  const { currency } = spent ?? {};
  const amount = (used: number) =>
    currency ? formatMoney(currency, used / microsPerUnit) : counted(used, 'call');
  const made = currency ? 'spent' : 'made';
  const setIn = spent?.setIn ? ` (set in ${fromHere(spent.setIn)})` : '';
  const shared = spent
    ? `: all jobs on this ledger ${made} ${amount(spent.used)} at ${spent.at} (${spent.period}). The budget resets at ${localMinute(spent.freeAtMs, spent.timezone)} ${spent.timezone}`
    : '';
  const budget = spent
    ? `${amount(spent.limit)} a ${spent.per}${spent.isOfService ? ` for ${spent.at}` : ''}`
    : ofStart;
  return new DossierError(
    'BUDGET_SPENT',
    `the budget of ${budget}${setIn} is spent${shared}. Calls still needed: at least ${formatNumber(open)}`,
    { remedy: budgetRemedy(spent ? ' after it resets, or raise it' : ' to continue') },
  );
}
