import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { DossierError } from '../errors.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { Breaker, Refusal } from './judge/breaker.ts';
import type { Verdict } from './judge/verdict.ts';
import { type AttemptParts, makeAttempt } from './make-attempt.ts';
import { backOffMs } from './rate/back-off.ts';
import type { AttemptLimit } from './rate/limit-attempts.ts';

export interface CallParts extends AttemptParts {
  readonly attempts: number;
  readonly breaker: Breaker;
  readonly limit: AttemptLimit;
  readonly withoutKey: (outcome: CallOutcome) => CallOutcome;
}

type Miss = Extract<CallOutcome, { readonly kind: 'miss' }>;

/** The outcome of a call, or a verdict after which the call is asked again. */
type AttemptEnd =
  | CallOutcome
  | Extract<Verdict, { readonly kind: 'throttled' }>
  | { readonly kind: 'transient'; readonly reason: string; readonly missIfProven?: Miss };

/** Asks until there is an outcome, or until the run must stop. */
export async function sendCall(
  parts: CallParts,
  call: CallRequest,
  hasFailedBefore: boolean,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const { breaker } = parts;
  parts.runStop.or(signal).throwIfAborted();
  for (let attempts = 1; ; ) {
    const number = attempts;
    const end = await parts.limit(() =>
      attemptAndConclude(parts, { call, hasFailedBefore, attempts: number }, signal),
    );
    switch (end.kind) {
      case 'throttled':
        // The service did not look at the call, so this was no attempt. The throttle makes it wait.
        break;
      case 'transient':
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

interface NumberedAttempt {
  readonly call: CallRequest;
  readonly hasFailedBefore: boolean;
  /** The number of the attempt, counted from 1. */
  readonly attempts: number;
}

/**
 * Makes one attempt and does what follows from it, all within the limit, so that no other call
 * leaves after an answer that stops the run or throttles it.
 */
async function attemptAndConclude(
  parts: CallParts,
  { call, hasFailedBefore, attempts }: NumberedAttempt,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const { throttle, breaker, runStop } = parts;
  const { verdict, answer, durationMs } = await makeAttempt(parts, call, signal);
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
    case 'refused': {
      // The key will be as wrong for the next ten thousand rows as it is for this one.
      runStop.stop(new DossierError('KEY_REFUSED', keyRefused(verdict.message)));
      // The run may have been stopped before, and then it has one reason.
      throw runStop.signal.reason;
    }
    case 'forbidden':
    case 'quota': {
      breaker.noteRefusal({ ...refusalOf(verdict), hasFailedBefore });
      // The failure is stored even where it stops the run: the next one knows the call by it.
      const reason = `the service refused this call: ${verdict.message}`;
      return { kind: 'failed', reason, attempts, durationMs };
    }
    case 'oversized':
      // The service works; only this answer is not taken.
      throttle.noteAnswer();
      breaker.noteAnswer('oversized');
      return { kind: 'failed', reason: verdict.reason, attempts, durationMs };
    case 'unusable':
    case 'unproven':
    case 'transient': {
      const { kind, reason } = verdict;
      const miss = { kind: 'miss', status, body, attempts, durationMs } as const;
      const ifProven = kind === 'unproven' && { missIfProven: parts.withoutKey(miss) as Miss };
      breaker.noteFailedAttempt(reason);
      if (kind !== 'unusable' && attempts < parts.attempts) {
        runStop.signal.throwIfAborted();
        return { kind: 'transient', reason, ...ifProven };
      }
      const isUnreached = kind === 'transient' && verdict.isUnreached === true;
      breaker.noteFailedCall({ reason, status, isUnreached, hasFailedBefore });
      return { kind: 'failed', reason, attempts, durationMs, ...ifProven };
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

function refusalOf({
  kind,
  message,
}: Extract<Verdict, { readonly kind: 'forbidden' | 'quota' }>): Omit<Refusal, 'hasFailedBefore'> {
  return kind === 'quota'
    ? { code: 'QUOTA_SPENT', message: `the service gives no more: ${message}` }
    : { code: 'KEY_REFUSED', message: keyRefused(message) };
}

function keyRefused(message: string): string {
  return `the service refused the key: ${message}`;
}
