import type { CallRequest } from '../contract/call.ts';
import { DossierError } from '../errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Redact } from '../runtime/log/redact.ts';
import type { OnEvent } from './client-event.ts';
import type { Breaker } from './judge/breaker.ts';
import type { Verdict } from './judge/classify-answer.ts';
import { judgeAttempt } from './judge/judge-attempt.ts';
import { readRateLimits, readRetryAfter } from './judge/read-rate-limits.ts';
import type { Permits } from './rate/permits.ts';
import type { Throttle } from './rate/throttle.ts';
import type { RunStop } from './run-stop.ts';
import type { createRequestBuilder } from './wire/build-request.ts';
import type { HttpAnswer } from './wire/exchange.ts';
import { type SendOptions, sendRequest } from './wire/send-request.ts';

/** Counts requests that may be charged. The run reserves one for each call that it gives to the client. */
export interface RequestBudget {
  /** Reserves another request for a call. False where the budget is spent. */
  reserve(call: CallRequest): boolean | Promise<boolean>;
  /** Gives back the request that is reserved for a call. */
  refund(call: CallRequest): void;
  /** Whether what is reserved for a call is of the budget of today. */
  isCurrent?(call: CallRequest): boolean;
  /** Reserves a request of today in place of an older one. False where the budget is spent. */
  renew?(call: CallRequest): Promise<boolean>;
}

/** The requests that have left and are not answered: a stop waits for them, a second signal names them. */
export function openRequestsOnWire(timeoutMs: number, clock: Pick<Clock, 'monotonicMs'>) {
  const onWire = new Set<{ readonly call: CallRequest; readonly leftAtMs: number }>();
  return {
    /** Notes that the request of a call has left. The returned function notes that the attempt is over. */
    add(call: CallRequest): () => void {
      const request = { call, leftAtMs: clock.monotonicMs() };
      onWire.add(request);
      return () => void onWire.delete(request);
    },
    /** Calls whose request has left, and how long the last of their answers can take. */
    list() {
      const requests = [...onWire];
      const newestMs = requests.at(-1)?.leftAtMs ?? Number.NEGATIVE_INFINITY;
      // The deadline of an attempt begins before its request leaves, so this is never too short.
      const atMostMs = Math.max(0, newestMs + timeoutMs - clock.monotonicMs());
      return { calls: requests.map(({ call }) => call), atMostMs };
    },
  };
}

export interface AttemptParts extends SendOptions {
  readonly buildRequest: ReturnType<typeof createRequestBuilder>;
  readonly permits: Pick<Permits, 'take' | 'noteThrottled' | 'noteLimits'>;
  readonly throttle: Throttle;
  readonly runStop: RunStop;
  readonly breaker: Pick<Breaker, 'isProven'>;
  readonly onWire: ReturnType<typeof openRequestsOnWire>;
  readonly redact: Redact;
  readonly budget: Pick<RequestBudget, 'isCurrent' | 'renew'>;
  /** Whether only hits are charged, or every answer. */
  readonly charged: 'hits' | 'answers';
  readonly onEvent: OnEvent;
}

/** The request that the budget has reserved for a call. */
export interface Reservation {
  /** False once a request has left that may be charged. */
  isHeld: boolean;
}

export interface Attempt {
  readonly verdict: Verdict;
  /** Status 0 and an empty body where nothing came back. */
  readonly answer: HttpAnswer;
  readonly durationMs: number;
  /** When the service gave the answer; absent where it comes straight from there. */
  readonly fetchedAt?: number;
  /** Another run has asked for it. */
  readonly isReused?: true;
}

const noAnswer: HttpAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/**
 * Waits for a permit, asks once and judges the answer. A stop of the run ends the waiting at once,
 * but not an attempt that has left: its answer may have been paid for.
 */
export async function makeAttempt(
  parts: AttemptParts,
  call: CallRequest,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<Attempt> {
  const { throttle, permits, bodies, onEvent, clock, onWire } = parts;
  const waiting = parts.runStop.or(signal);
  waiting.throwIfAborted();
  let waitsBefore = 0;
  const isCurrent = () => parts.budget.isCurrent?.(call) ?? true;
  // The second request of a redirect comes here, too: it waits for a throttle like any other.
  const takePermit = async () => {
    for (;;) {
      if (!bodies.hasRoom()) await bodies.untilRoom(waiting);
      if (throttle.isOn()) await throttle.waitUntilOver(waiting);
      if (!isCurrent()) {
        // A call that waits over midnight is charged to the budget of the next day.
        reservation.isHeld = false;
        if (!(await parts.budget.renew?.(call))) {
          throw new DossierError('BUDGET_SPENT', 'no request of the new day is left for this call');
        }
        reservation.isHeld = true;
      }
      const permit = await permits.take(waiting);
      const waits = throttle.waitsSoFar();
      if (waits !== undefined && !waiting.aborted && isCurrent()) {
        waitsBefore = waits;
        return permit;
      }
      // Meanwhile the service throttled another call, the run was stopped or the day ended.
      permit.release();
      waiting.throwIfAborted();
    }
  };
  let isOver = () => {};
  const onLeave = () => {
    reservation.isHeld = false;
    isOver = onWire.add(call);
  };
  const onRedirect = () => {
    reservation.isHeld = true;
    isOver();
  };
  const request = parts.buildRequest(call);
  const steps = { takePermit, onLeave, onRedirect, keepBack: waiting };
  const { result, durationMs } = await sendRequest(parts, request, steps, signal).finally(() =>
    isOver(),
  );

  const answer = 'status' in result ? result : undefined;
  const verdict = judgeAttempt(call, result, parts.redact, parts.breaker.isProven);
  if (isFree(verdict, parts.charged)) reservation.isHeld = true;
  onEvent({
    type: 'attempt.made',
    operation: call.operation,
    ...(answer && { status: answer.status }),
    verdict: verdict.kind,
    durationMs,
  });
  const limits = answer && readRateLimits(answer.headers, clock.wallMs());
  if (limits) permits.noteLimits(limits);
  if (verdict.kind === 'throttled') {
    // Where only the quota says how long to wait: until it is whole again.
    const quota = limits?.left;
    const resetMs = quota && quota.remaining < 1 ? quota.resetS * 1_000 : undefined;
    const retryAfterMs = readRetryAfter(answer?.headers ?? {}, clock.wallMs()) ?? resetMs;
    const isObeyed = throttle.noteThrottled(waitsBefore, retryAfterMs);
    permits.noteThrottled(durationMs, isObeyed ? retryAfterMs : undefined);
  }
  return { verdict, answer: answer ?? noAnswer, durationMs };
}

/**
 * No service charges for an answer that it refuses to give. One that charges for hits alone charges for no
 * other answer; whether a request without an answer was a hit, nobody knows.
 */
function isFree({ kind }: Verdict, charged: AttemptParts['charged']): boolean {
  return refusals.includes(kind) || (charged === 'hits' && noHits.includes(kind));
}

const refusals = ['throttled', 'refused', 'forbidden', 'quota'];
const noHits = ['miss', 'invalid', 'unproven'];
