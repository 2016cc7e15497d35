import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { DossierError } from '../errors.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { Breaker } from './breaker.ts';
import type { Verdict } from './classify-answer.ts';
import { type Attempt, type AttemptParts, makeAttempt } from './make-attempt.ts';
import { retryWaitMs } from './retry-policy.ts';
import type { Slots } from './slots.ts';

export interface CallParts extends AttemptParts {
  readonly attempts: number;
  readonly breaker: Breaker;
  readonly slots: Slots;
}

/** Asks until there is an outcome, or until the run must stop. */
export async function settleCall(
  parts: CallParts,
  call: CallRequest,
  signal: AbortSignal,
): Promise<CallOutcome> {
  for (let attempts = 1; ; ) {
    // Before anything is made for the attempt: hundreds of calls stand in line here.
    const slot = await parts.slots.take(parts.runStop.or(signal));
    const attempt = await makeAttempt(parts, call, slot, signal);
    const { verdict, durationMs } = attempt;
    switch (verdict.kind) {
      case 'hit':
      case 'miss':
      case 'invalid':
        return answered(parts, attempt, verdict, attempts);
      case 'throttled':
        // The service did not look at the call, so this was no attempt. The gate makes it wait.
        parts.runStop.signal.throwIfAborted();
        break;
      case 'refused':
        throw stopRun(parts, 'KEY_REFUSED', `the service refused the key: ${verdict.message}`);
      case 'quota':
        throw stopRun(parts, 'QUOTA_SPENT', `the service gives no more: ${verdict.message}`);
      case 'oversized':
        // The service works; only this answer is not for us.
        parts.gate.noteAnswer();
        parts.breaker.noteAnswer(verdict.kind);
        return { kind: 'failed', reason: verdict.reason, attempts, durationMs };
      case 'unusable':
      case 'transient': {
        const { reason } = verdict;
        parts.breaker.noteFailedAttempt(reason);
        const isLast = verdict.kind === 'unusable' || attempts >= parts.attempts;
        if (isLast) parts.breaker.noteFailedCall(reason);
        parts.runStop.signal.throwIfAborted();
        if (isLast) return { kind: 'failed', reason, attempts, durationMs };
        await waitForRetry(parts, call, attempts, reason, signal);
        attempts += 1;
        break;
      }
      default:
        assertNever(verdict);
    }
  }
}

/** An answer that has arrived is never lost, even when the run has stopped in the meantime. */
function answered(
  { gate, breaker, runStop, keyGuard }: CallParts,
  { status, body, durationMs, mayEchoKey }: Attempt,
  verdict: Extract<Verdict, { kind: 'hit' | 'miss' | 'invalid' }>,
  attempts: number,
): CallOutcome {
  const wasStopped = runStop.signal.aborted;
  gate.noteAnswer();
  const facts = { status, attempts, durationMs };
  if (verdict.kind === 'invalid') {
    breaker.noteAnswer('invalid', verdict.message);
    // This one made it certain that the job is wrong and not the data.
    if (!wasStopped) runStop.signal.throwIfAborted();
    return { kind: 'invalid', message: verdict.message, ...facts };
  }
  breaker.noteAnswer(verdict.kind);
  const outcome: CallOutcome = { ...verdict, body, ...facts };
  return mayEchoKey ? keyGuard.withhold(outcome) : outcome;
}

async function waitForRetry(
  { clock, onEvent, runStop }: CallParts,
  { operation }: CallRequest,
  attempt: number,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = retryWaitMs(attempt);
  onEvent({ type: 'retry.scheduled', operation, attempt, reason, waitMs });
  await clock.sleep(waitMs, runStop.or(signal));
}

/** The key will be as wrong for the next ten thousand rows as it is for this one. */
function stopRun(
  { runStop }: CallParts,
  code: 'KEY_REFUSED' | 'QUOTA_SPENT',
  message: string,
): unknown {
  runStop.stop(new DossierError(code, message));
  // The run may have been stopped before, and then it has one reason.
  return runStop.signal.reason;
}
