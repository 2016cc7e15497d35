import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { DossierError, UnansweredError } from '../errors.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { Breaker, Refusal } from './judge/breaker.ts';
import type { Verdict } from './judge/verdict.ts';
import type { Attempt, Reservation } from './make-attempt.ts';
import type { Throttle } from './rate/throttle.ts';
import type { RunStop } from './run-stop.ts';

export interface ConcludingParts {
  /** How often a call is tried. */
  readonly attempts: number;
  readonly throttle: Throttle;
  readonly breaker: Breaker;
  readonly runStop: RunStop;
  readonly withoutKey: (outcome: CallOutcome) => CallOutcome;
}

/** A call that is asked, perhaps several times. */
export interface Asked {
  readonly call: CallRequest;
  readonly hasFailedBefore: boolean;
  readonly reservation: Reservation;
}

type Miss = Extract<CallOutcome, { readonly kind: 'miss' }>;

/** The outcome of a call, or a verdict after which the call is asked again. */
export type AttemptEnd =
  | CallOutcome
  | Extract<Verdict, { readonly kind: 'throttled' }>
  | { readonly kind: 'transient'; readonly reason: string; readonly missIfProven?: Miss };

const noBody = Buffer.alloc(0);

/** What follows from an attempt: for its call, for all calls, and for the run. */
export function concludeAttempt(
  parts: ConcludingParts,
  { hasFailedBefore, reservation }: Asked,
  { verdict, answer, durationMs, ...fetched }: Attempt,
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
      return parts.withoutKey({ ...verdict, status, body, attempts, durationMs, ...fetched });
    case 'invalid': {
      const wasStopped = runStop.signal.aborted;
      throttle.noteAnswer();
      breaker.noteAnswer('invalid', verdict.message);
      // This answer made it certain that the job is wrong and not the data.
      if (!wasStopped) runStop.signal.throwIfAborted();
      return {
        kind: 'invalid',
        message: verdict.message,
        status,
        attempts,
        durationMs,
        ...fetched,
      };
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
      return { kind: 'failed', reason, attempts, durationMs, ...fetched };
    }
    case 'oversized':
      // The service works; only this answer is not taken.
      throttle.noteAnswer();
      breaker.noteAnswer('oversized');
      return { kind: 'oversized', reason: verdict.reason, attempts, durationMs, ...fetched };
    case 'unusable':
    case 'unproven':
    case 'transient': {
      const { kind, reason } = verdict;
      const wasStopped = runStop.signal.aborted;
      breaker.noteFailedAttempt(reason);
      const hasLeftForNothing = status === 0 && !reservation.isHeld;
      if (wasStopped && hasLeftForNothing) throw new UnansweredError(runStop.signal.reason);
      // The body is not kept: it says nothing, and would count among those that others wait for.
      const miss = { kind: 'miss', status, body: noBody, attempts, durationMs } as const;
      const ifProven = kind === 'unproven' && { missIfProven: miss };
      if (kind !== 'unusable' && attempts < parts.attempts) {
        runStop.signal.throwIfAborted();
        return { kind: 'transient', reason, ...ifProven };
      }
      const isUnreached = kind === 'transient' && verdict.isUnreached === true;
      breaker.noteFailedCall({ reason, status, isUnreached, hasFailedBefore });
      return { kind: 'failed', reason, attempts, durationMs, ...fetched, ...ifProven };
    }
    default:
      return assertNever(verdict);
  }
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
