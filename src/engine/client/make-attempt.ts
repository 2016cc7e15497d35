import type { CallRequest } from '../../core/contract/call.ts';
import { hasMoreValues } from '../../core/runtime/json/count-values.ts';
import { describeFailure } from '../../core/runtime/outside-failures.ts';
import type { Verdict } from './judge/classify-answer.ts';
import { judgeAttempt } from './judge/judge-attempt.ts';
import { readRateLimits, readRetryAfter } from './judge/read-rate-limits.ts';
import type { ClientParts } from './open-client.ts';
import { decodeBody } from './wire/decode-body.ts';
import {
  BodyTooLargeError,
  exchange,
  type HttpAnswer,
  type HttpRequest,
  TimeOverError,
  TooLateError,
} from './wire/exchange.ts';

/** Counts requests that may be charged. The run reserves one for each call that it gives to the client. */
export interface RequestBudget {
  /** Reserves another request for a call. False where the budget is spent. */
  reserve(call: CallRequest): boolean | Promise<boolean>;
  /** Gives back the request that is reserved for a call. */
  refund(call: CallRequest): void;
  /** A request of a call has left and is free: what is reserved for the call serves its next one. */
  noteFree?(call: CallRequest): void;
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

const maxRedirects = 5;
const noAnswer: HttpAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/**
 * Waits for a permit, asks once and judges the answer. A stop of the run ends the waiting at once,
 * but not an attempt that has left: its answer may have been paid for.
 */
export async function makeAttempt(
  parts: ClientParts,
  call: CallRequest,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<Attempt> {
  const { throttle, permits, bodies, budget, clock, onWire } = parts;
  const waiting = parts.runStop.or(signal);
  let waitsBefore: number | undefined;
  let request = parts.buildRequest(call);
  let durationMs = 0;
  let result: HttpAnswer | Verdict | undefined;
  // The service counts requests, not attempts, so the request after a redirect takes its own permit.
  for (let redirects = 0; !result; ) {
    waiting.throwIfAborted();
    const permit = await permits.take(waiting);
    const startedAtMs = clock.monotonicMs() - durationMs;
    const onStart = () => {
      // Meanwhile the service may have throttled another call, or the handshake took long.
      if (!permit.start()) return false;
      waitsBefore = throttle.noteLeaving();
      reservation.isHeld = false;
      onWire.set(reservation, { call, leftAtMs: clock.monotonicMs() });
      return true;
    };
    const timeoutMs = parts.timeoutMs - durationMs;
    let sent: Awaited<ReturnType<typeof sendOnce>>;
    try {
      if (!waiting.aborted) {
        sent = await sendOnce(parts, request, timeoutMs, onStart, waiting, signal);
      }
    } finally {
      onWire.delete(reservation);
    }
    durationMs = Math.round(clock.monotonicMs() - startedAtMs);
    if (!sent) {
      permit.release();
      continue;
    }
    if (sent.kind) {
      result = reservation.isHeld ? { ...sent, isUnreached: true } : sent;
      continue;
    }
    const next = followRedirect(request, sent);
    if (next === undefined) {
      result = sent;
      continue;
    }
    // A redirected request is not charged.
    reservation.isHeld = true;
    budget.noteFree?.(call);
    bodies.release(sent.body);
    if (typeof next === 'string') result = { kind: 'unusable', reason: next };
    else if (redirects === maxRedirects) {
      result = { kind: 'unusable', reason: `more than ${maxRedirects} redirects` };
    } else request = next;
    redirects += 1;
  }

  const answer = 'status' in result ? result : noAnswer;
  const verdict = judgeAttempt(call, result, parts.redact, parts.breaker.isProven);
  if (isFree(verdict, answer.status, parts.charged)) reservation.isHeld = true;
  parts.onEvent({
    type: 'attempt.made',
    operation: call.operation,
    ...(answer !== noAnswer && { status: answer.status }),
    verdict: verdict.kind,
    durationMs,
  });
  const limits = readRateLimits(answer.headers);
  if (limits) permits.noteLimits(limits);
  if (verdict.kind === 'throttled') {
    // Where only the quota says how long to wait: until it is whole again.
    const quota = limits?.left;
    const resetMs = quota && quota.remaining < 1 ? quota.resetS * 1_000 : undefined;
    const retryAfterMs = readRetryAfter(answer.headers, clock.wallMs()) ?? resetMs;
    const waitMs = throttle.noteThrottled(waitsBefore, retryAfterMs);
    permits.noteThrottled(durationMs, waitMs, retryAfterMs !== undefined);
  }
  return { verdict, answer, durationMs };
}

/**
 * Sends a request. Its body counts in `bodies` until it is released there, and holds the key no more. Where there
 * is no answer to judge, the verdict comes at once; undefined if the request could not leave in time. Throws only
 * the reason of a signal.
 */
async function sendOnce(
  { sockets, maxBodyBytes, bodies, withoutKey }: ClientParts,
  request: HttpRequest,
  timeoutMs: number,
  onStart: () => boolean,
  keepBack: AbortSignal,
  signal: AbortSignal,
) {
  const share = { isLarge: false };
  let body: Buffer | undefined;
  try {
    const options = { signal, keepBack, timeoutMs, bodies, share, maxBodyBytes, onStart };
    const answer = await exchange(sockets, request, options);
    const { status, headers } = answer;
    const isPlain = !headers['content-encoding'] || answer.body.length === 0;
    const plain = isPlain ? answer.body : await decodeBody(answer, maxBodyBytes, bodies, share);
    // Of an error only the beginning is kept, which is short.
    if (status < 300 && hasMoreValues(plain, mostValues)) {
      throw new BodyTooLargeError(`the answer holds over ${mostValues} values`);
    }
    body = withoutKey(plain);
    return { status, headers, body };
  } catch (error) {
    if (error instanceof TooLateError) return undefined;
    if (keepBack.aborted && error === keepBack.reason) throw error;
    if (error instanceof TimeOverError) {
      return { kind: 'transient', reason: 'no whole answer within the time allowed' } as const;
    }
    signal.throwIfAborted();
    const kind = error instanceof BodyTooLargeError ? 'oversized' : 'transient';
    return { kind, reason: describeFailure(error) } as const;
  } finally {
    bodies.end(share, body);
  }
}

/** The largest company there is has some five thousand; a reader takes about 100 bytes for each. */
const mostValues = 250_000;

const redirections = [301, 302, 303, 307, 308];

/**
 * Where an answer sends us, if anywhere, or the reason not to go there. Only another path of the same scheme, host and port is followed: the
 * request carries the key, and no other host may see the key.
 */
export function followRedirect(
  request: HttpRequest,
  { status, headers: { location } }: HttpAnswer,
): HttpRequest | string | undefined {
  if (!redirections.includes(status)) return undefined;
  const asked = request.origin + request.path;
  if (typeof location !== 'string' || !URL.canParse(location, asked)) {
    return `HTTP ${status} without a readable Location`;
  }
  const url = new URL(location, asked);
  if (url.origin !== request.origin) {
    return `HTTP ${status} to another host, ${url.origin}`;
  }
  if (status < 307 && request.method !== 'GET') {
    // Browsers would drop the body and ask with GET: a different question.
    return `HTTP ${status} in answer to a POST`;
  }
  return { ...request, path: url.pathname + url.search };
}

/**
 * Refusals and 503 are free. If only hits are charged, so is every other answer without a company. Other
 * server errors and requests without an answer may have been charged.
 */
function isFree({ kind }: Verdict, status: number, charged: ClientParts['charged']): boolean {
  if (status === 503 || refusals.includes(kind)) return true;
  return charged === 'hits' && noHits.includes(kind);
}

const refusals = ['throttled', 'refused', 'forbidden', 'quota'];
const noHits = ['miss', 'invalid', 'unproven'];
