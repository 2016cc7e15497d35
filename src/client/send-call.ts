import pLimit from 'p-limit';
import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { DossierError, UnansweredError } from '../errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { OnEvent } from './client-event.ts';
import {
  type Asked,
  type AttemptEnd,
  type ConcludingParts,
  concludeAttempt,
} from './conclude-attempt.ts';
import type { Breaker } from './judge/breaker.ts';
import type { Attempt, Reservation } from './make-attempt.ts';
import type { RequestBudget } from './request-budget.ts';
import type { BodyBudget } from './wire/body-budget.ts';

export interface CallParts extends ConcludingParts {
  /** Asks once. Says in the reservation whether the request may be charged. */
  attempt(call: CallRequest, reservation: Reservation, signal: AbortSignal): Promise<Attempt>;
  readonly breaker: Breaker;
  readonly limit: ReturnType<typeof limitAttempts>;
  readonly budget: RequestBudget;
  readonly bodies: Pick<BodyBudget, 'free'>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly onEvent: OnEvent;
}

/**
 * As many attempts at once as the pool has sockets: a request that queues inside the pool can
 * neither be aborted nor timed. A stop ends the queued attempts with its reason.
 */
export function limitAttempts(concurrency: number, stopping: AbortSignal) {
  const limit = pLimit({ concurrency, rejectOnClear: true });
  stopping.addEventListener('abort', () => limit.clearQueue(), { once: true });
  return async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    stopping.throwIfAborted();
    let hasBegun = false;
    try {
      return await limit(() => {
        hasBegun = true;
        return attempt();
      });
    } catch (error) {
      throw hasBegun ? error : stopping.reason;
    }
  };
}

/**
 * Asks until there is an outcome, until the budget is spent, or until the run must stop. A request that
 * was redirected, throttled or refused is not charged, so what was reserved for it serves the next one.
 */
export async function sendCall(
  parts: CallParts,
  call: CallRequest,
  hasFailedBefore: boolean,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const reservation: Reservation = { isHeld: true };
  try {
    return await askUntilOutcome(parts, { call, hasFailedBefore, reservation }, signal);
  } catch (error) {
    // The request had left when the signal gave up waiting for its answer.
    if (signal.aborted && !reservation.isHeld && !(error instanceof UnansweredError)) {
      throw new UnansweredError(error);
    }
    throw error;
  } finally {
    if (reservation.isHeld) parts.budget.refund(call);
  }
}

async function askUntilOutcome(
  parts: CallParts,
  asked: Asked,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { breaker } = parts;
  const { call, reservation } = asked;
  parts.runStop.or(signal).throwIfAborted();
  for (let attempts = 1; ; ) {
    const number = attempts;
    const end = await parts.limit(() => attemptAndConclude(parts, asked, number, signal));
    switch (end.kind) {
      case 'throttled':
        // The service did not look at the call, so this was no attempt. The throttle makes it wait.
        break;
      case 'transient':
        if (!reservation.isHeld) await reserveAgain(parts.budget, call, reservation);
        await backOff(parts, call, attempts, end.reason, signal);
        if (end.missIfProven && breaker.isProven) {
          // Another call was given a hit meanwhile, so there is no need to ask again.
          breaker.noteAnswer('miss');
          return end.missIfProven;
        }
        attempts += 1;
        break;
      default:
        return end;
    }
  }
}

/**
 * Makes one attempt and does what follows from it, all within the limit, so that no other call
 * leaves after an answer that stops the run or throttles it.
 */
async function attemptAndConclude(
  parts: CallParts,
  asked: Asked,
  number: number,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const attempt = await parts.attempt(asked.call, asked.reservation, signal);
  let keptBytes = 0;
  try {
    const end = concludeAttempt(parts, asked, attempt, number);
    if ('body' in end) keptBytes = end.body.length;
    return end;
  } finally {
    parts.bodies.free(attempt.answer.body.length - keptBytes);
  }
}

/** Takes another request of the budget. Without one the call is neither asked again nor failed. */
export async function reserveAgain(
  budget: Pick<RequestBudget, 'reserve'>,
  call: CallRequest,
  reservation: Reservation,
): Promise<void> {
  if (!(await budget.reserve(call))) {
    throw new DossierError('BUDGET_SPENT', 'no request is left for another attempt');
  }
  reservation.isHeld = true;
}

const firstCeilingMs = 500;
const lastCeilingMs = 30_000;

/**
 * How long to wait after a failed attempt (the first is 1). Full jitter: anything from nothing to
 * a ceiling that doubles, so calls that failed together do not come back together.
 */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  const ceilingMs = Math.min(lastCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return Math.round(random() * ceilingMs);
}

/** Waits before the next attempt. The call does not count against the limit meanwhile. */
async function backOff(
  { clock, onEvent, runStop }: CallParts,
  { operation }: CallRequest,
  attempt: number,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = backOffMs(attempt);
  onEvent({ type: 'retry.scheduled', operation, attempt, reason, waitMs });
  await clock.sleep(waitMs, runStop.or(signal));
}
