import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { DossierError, type ErrorCode } from '../errors.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { Breaker } from './judge/breaker.ts';
import type { Verdict } from './judge/verdict.ts';
import { type Attempt, type AttemptParts, makeAttempt } from './make-attempt.ts';
import { backOffMs } from './rate/back-off.ts';
import type { AttemptLimit } from './rate/limit-attempts.ts';

export interface CallParts extends AttemptParts {
  readonly attempts: number;
  readonly breaker: Breaker;
  readonly limit: AttemptLimit;
  readonly withoutKey: (outcome: CallOutcome) => CallOutcome;
}

/** The outcome of a call, or a verdict after which the call is asked again. */
type AttemptEnd = CallOutcome | Extract<Verdict, { readonly kind: 'throttled' | 'transient' }>;

/** Asks until there is an outcome, or until the run must stop. */
export async function sendCall(
  parts: CallParts,
  call: CallRequest,
  signal: AbortSignal,
): Promise<CallOutcome> {
  parts.runStop.or(signal).throwIfAborted();
  for (let attempts = 1; ; ) {
    const number = attempts;
    const end = await parts.limit(() => attemptAndConclude(parts, call, number, signal));
    switch (end.kind) {
      case 'throttled':
        // The service did not look at the call, so this was no attempt. The throttle makes it wait.
        break;
      case 'transient':
        await backOff(parts, call, attempts, end.reason, signal);
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
  call: CallRequest,
  attempts: number,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const attempt = await makeAttempt(parts, call, signal);
  let keptBytes = 0;
  try {
    const end = conclude(parts, attempt, attempts);
    if ('body' in end) keptBytes = end.body.length;
    return end;
  } finally {
    parts.bodies.free(attempt.answer.body.length - keptBytes);
  }
}

function conclude(
  parts: CallParts,
  { verdict, answer, durationMs }: Attempt,
  attempts: number,
): AttemptEnd {
  const { throttle, breaker, runStop } = parts;
  const { status, body } = answer;
  switch (verdict.kind) {
    case 'hit':
    case 'miss':
      // An answer that has arrived is never lost, even when the run has stopped in the meantime.
      throttle.noteAnswer();
      breaker.noteAnswer(verdict.kind);
      return parts.withoutKey({ ...verdict, status, body, attempts, durationMs });
    case 'invalid': {
      const wasStopped = runStop.signal.aborted;
      throttle.noteAnswer();
      breaker.noteAnswer('invalid', verdict.message);
      // This answer made it certain that the job is wrong and not the data.
      if (!wasStopped) runStop.signal.throwIfAborted();
      return { kind: 'invalid', message: verdict.message, status, attempts, durationMs };
    }
    case 'throttled':
      runStop.signal.throwIfAborted();
      return verdict;
    case 'refused':
      throw stopRun(parts, 'KEY_REFUSED', `the service refused the key: ${verdict.message}`);
    case 'quota':
      throw stopRun(parts, 'QUOTA_SPENT', `the service gives no more: ${verdict.message}`);
    case 'oversized':
      // The service works; only this answer is not taken.
      throttle.noteAnswer();
      breaker.noteAnswer('oversized');
      return { kind: 'oversized', reason: verdict.reason, attempts, durationMs };
    case 'unusable':
    case 'transient': {
      const { kind, reason } = verdict;
      breaker.noteFailedAttempt(reason);
      const isLast = kind === 'unusable' || attempts >= parts.attempts;
      if (isLast) breaker.noteFailedCall(reason);
      runStop.signal.throwIfAborted();
      return isLast
        ? { kind: 'failed', reason, attempts, durationMs }
        : { kind: 'transient', reason };
    }
    default:
      return assertNever(verdict);
  }
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

/** The key will be as wrong for the next ten thousand rows as it is for this one. */
function stopRun({ runStop }: CallParts, code: ErrorCode, message: string): unknown {
  runStop.stop(new DossierError(code, message));
  // The run may have been stopped before, and then it has one reason.
  return runStop.signal.reason;
}
