import type { CallOutcome, CallRequest } from '../../core/contract/call.ts';
import { DossierError, UnansweredError } from '../../core/errors.ts';
import type { Attempt, RequestBudget, Reservation } from './make-attempt.ts';
import type { ClientParts } from './open-client.ts';

/** Asks once. Says in the reservation whether the request may be charged. */
export type AskOnce = (
  call: CallRequest,
  reservation: Reservation,
  signal: AbortSignal,
) => Promise<Attempt>;

/**
 * Asks until there is an outcome, until the budget is spent, or until the run must stop. A request that
 * was redirected, throttled or refused is not charged, so what was reserved for it serves the next one.
 */
export async function sendCall(
  parts: ClientParts,
  askOnce: AskOnce,
  call: CallRequest,
  hasFailedBefore: boolean,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { breaker, budget, bodies, clock, limit, onEvent, runStop } = parts;
  const reservation: Reservation = { isHeld: true };
  const waiting = runStop.or(signal);
  let attempts = 1;
  let isQueued = false;
  // All within the limit, so that no other call leaves after an answer that stops the run or throttles it.
  const attempt = async () => {
    isQueued = false;
    const made = await askOnce(call, reservation, signal);
    if (reservation.isHeld && made.answer.status > 0 && !made.isReused) budget.noteFree?.(call);
    let isKept = false;
    try {
      const end = concludeAttempt(parts, reservation, hasFailedBefore, made, attempts);
      isKept = 'body' in end;
      return end;
    } finally {
      if (!isKept) bodies.release(made.answer.body);
    }
  };
  try {
    for (;;) {
      waiting.throwIfAborted();
      isQueued = true;
      const end = await limit(attempt);
      // The service did not look at the call, so this was no attempt. The throttle makes it wait.
      if (end.kind === 'throttled') continue;
      if (end.kind !== 'transient') return end;
      const { reason, missIfProven } = end;
      if (!reservation.isHeld) await reserveAgain(budget, call, reservation);
      // The call does not count against the limit while it waits.
      const waitMs = backOffMs(attempts);
      const { operation } = call;
      onEvent({ type: 'retry.scheduled', operation, attempt: attempts, reason, waitMs });
      await clock.sleep(waitMs, waiting);
      if (missIfProven && breaker.isProven) {
        // Another call was given a hit meanwhile, so there is no need to ask again.
        breaker.noteAnswer('miss');
        return missIfProven;
      }
      attempts += 1;
    }
  } catch (error) {
    // A stop ends the attempts that are queued.
    if (isQueued && runStop.signal.aborted) throw runStop.signal.reason;
    // The request had left when the signal gave up waiting for its answer.
    if (signal.aborted && !reservation.isHeld && !(error instanceof UnansweredError)) {
      throw new UnansweredError(error);
    }
    throw error;
  } finally {
    if (reservation.isHeld) budget.refund(call);
  }
}

/** Takes another request of the budget. Without one the call is neither asked again nor failed. */
export async function reserveAgain(
  budget: RequestBudget,
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
function backOffMs(attempt: number): number {
  const ceilingMs = Math.min(lastCeilingMs, firstCeilingMs * 2 ** (attempt - 1));
  return Math.round(Math.random() * ceilingMs);
}

const noBody = Buffer.alloc(0);

/** What follows from an attempt: for its call, for all calls, and for the run. */
function concludeAttempt(
  parts: ClientParts,
  reservation: Reservation,
  hasFailedBefore: boolean,
  { verdict, answer: { status, body }, ...times }: Attempt,
  attempts: number,
):
  | CallOutcome
  | { readonly kind: 'throttled' }
  | { readonly kind: 'transient'; readonly reason: string; readonly missIfProven?: CallOutcome } {
  const { throttle, breaker, runStop } = parts;
  const facts = { attempts, ...times };
  switch (verdict.kind) {
    case 'hit':
    case 'miss':
      // An answer that has arrived is never lost, even when the run has stopped in the meantime.
      throttle.noteAnswer();
      breaker.noteAnswer(verdict.kind);
      return { ...verdict, status, body, ...facts };
    case 'invalid': {
      const wasStopped = runStop.signal.aborted;
      throttle.noteAnswer();
      breaker.noteAnswer('invalid', verdict.message);
      // This answer made it certain that the job is wrong and not the data.
      if (!wasStopped) runStop.signal.throwIfAborted();
      return { ...verdict, status, ...facts };
    }
    case 'throttled':
      runStop.signal.throwIfAborted();
      return verdict;
    case 'refused':
      // The key will be as wrong for the next ten thousand rows as it is for this one.
      runStop.stop(new DossierError('KEY_REFUSED', keyRefused(verdict.message)));
      // The run may have been stopped before, and then it has one reason.
      throw runStop.signal.reason;
    case 'forbidden':
    case 'quota': {
      const { kind, message } = verdict;
      const isQuota = kind === 'quota';
      const said = isQuota ? `the service gives no more: ${message}` : keyRefused(message);
      breaker.noteRefusal(isQuota ? 'QUOTA_SPENT' : 'KEY_REFUSED', said, hasFailedBefore);
      // The failure is stored even where it stops the run: the next one knows the call by it.
      return { kind: 'failed', reason: `the service refused this call: ${message}`, ...facts };
    }
    case 'oversized':
      // The service works; only this answer is not taken.
      throttle.noteAnswer();
      breaker.noteAnswer('oversized');
      return { ...verdict, ...facts };
    case 'unusable':
    case 'unproven':
    case 'transient': {
      const { kind, reason } = verdict;
      const wasStopped = runStop.signal.aborted;
      breaker.noteFailedAttempt(reason);
      const hasLeftForNothing = status === 0 && !reservation.isHeld;
      if (wasStopped && hasLeftForNothing) throw new UnansweredError(runStop.signal.reason);
      // The body is not kept: it says nothing, and would count among those that others wait for.
      const { durationMs } = times;
      const miss = { kind: 'miss', status, body: noBody, attempts, durationMs } as const;
      const ifProven = kind === 'unproven' && { missIfProven: miss };
      if (kind !== 'unusable' && attempts < parts.attempts) {
        runStop.signal.throwIfAborted();
        return { kind: 'transient', reason, ...ifProven };
      }
      const isUnreached = kind === 'transient' && verdict.isUnreached === true;
      breaker.noteFailedCall(reason, status, isUnreached, hasFailedBefore);
      return { kind: 'failed', reason, ...facts, ...ifProven };
    }
  }
}

function keyRefused(message: string): string {
  return `the service refused the key: ${message}`;
}
