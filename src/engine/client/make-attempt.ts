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

/** The run reserves the first request of each call; the client reserves only retries. */
export interface ReservedRequests {
  reserve(call: CallRequest): boolean | Promise<boolean>;
  refund(call: CallRequest): void;
  noteFree?(call: CallRequest): void;
}

export interface Reservation {
  isUnspent: boolean;
}

export interface Attempt {
  readonly verdict: Verdict;
  /** Status 0 if the request got no answer. */
  readonly answer: HttpAnswer;
  readonly durationMs: number;
  /** Absent for an answer that has just arrived. */
  readonly fetchedAt?: number;
  readonly isReused?: true;
}

const maxRedirects = 5;
const noAnswer: HttpAnswer = { status: 0, headers: {}, body: Buffer.alloc(0) };

/** A stop does not cancel a request in flight, because its answer may be charged. */
export async function makeAttempt(
  parts: ClientParts,
  call: CallRequest,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<Attempt> {
  const { throttle, permits, bodies, budget, clock, onWire } = parts;
  const waiting = parts.runStop.or(signal);
  let waitsWhenSent: number | undefined;
  let request = parts.buildRequest(call);
  let durationMs = 0;
  let result: HttpAnswer | Verdict | undefined;
  // The service counts requests, so a redirected request needs its own permit.
  for (let redirects = 0; !result; ) {
    waiting.throwIfAborted();
    const permit = await permits.take(waiting);
    const startedAtMs = clock.monotonicMs() - durationMs;
    const onStart = () => {
      // The permit expires if another call was throttled or the handshake took too long.
      if (!permit.start()) return false;
      waitsWhenSent = throttle.noteLeaving();
      reservation.isUnspent = false;
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
      result = reservation.isUnspent ? { ...sent, isUnreached: true } : sent;
      continue;
    }
    const next = followRedirect(request, sent);
    if (next === undefined) {
      result = sent;
      continue;
    }
    // A redirect is not charged.
    reservation.isUnspent = true;
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
  if (isFree(verdict, answer.status, parts.charged)) reservation.isUnspent = true;
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
    const quota = limits?.left;
    const resetMs = quota && quota.remaining < 1 ? quota.resetS * 1_000 : undefined;
    const retryAfterMs = readRetryAfter(answer.headers, clock.wallMs()) ?? resetMs;
    const waitMs = throttle.noteThrottled(waitsWhenSent, retryAfterMs);
    permits.noteThrottled(durationMs, waitMs, retryAfterMs !== undefined);
  }
  return { verdict, answer, durationMs };
}

/** Returns undefined if the request was too late to be sent. Throws only a signal's reason. */
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
    // Error bodies are already limited to a small size.
    if (status < 300 && hasMoreValues(plain, mostValues)) {
      throw new BodyTooLargeError(`the answer holds over ${mostValues} values`);
    }
    body = withoutKey(plain);
    return { status, headers, body };
  } catch (error) {
    if (error instanceof TooLateError) return undefined;
    if (keepBack.aborted && error === keepBack.reason) throw error;
    if (error instanceof TimeOverError) {
      return { kind: 'transient', reason: 'no complete answer within the time allowed' } as const;
    }
    signal.throwIfAborted();
    const kind = error instanceof BodyTooLargeError ? 'oversized' : 'transient';
    return { kind, reason: describeFailure(error) } as const;
  } finally {
    bodies.end(share, body);
  }
}

/** A value takes about 100 bytes; the largest company has about 5,000. */
const mostValues = 250_000;

const redirections = [301, 302, 303, 307, 308];

/** Follows only within the same origin, because no other host may see the key. */
function followRedirect(
  request: HttpRequest,
  { status, headers: { location } }: HttpAnswer,
): HttpRequest | string | undefined {
  if (!redirections.includes(status)) return undefined;
  const requestUrl = request.origin + request.path;
  if (typeof location !== 'string' || !URL.canParse(location, requestUrl)) {
    return `HTTP ${status} without a readable Location`;
  }
  const url = new URL(location, requestUrl);
  if (url.origin !== request.origin) {
    return `HTTP ${status} to another host, ${url.origin}`;
  }
  if (status < 307 && request.method !== 'GET') {
    // Browsers would repeat this as a GET without the body, which is a different query.
    return `HTTP ${status} in answer to a POST`;
  }
  return { ...request, path: url.pathname + url.search };
}

/** A request without an answer may be charged, so it is not free. */
function isFree({ kind }: Verdict, status: number, charged: ClientParts['charged']): boolean {
  if (status === 503 || refusals.includes(kind)) return true;
  return charged === 'hits' && noHits.includes(kind);
}

const refusals = ['throttled', 'refused', 'forbidden', 'quota'];
const noHits = ['miss', 'invalid', 'unproven'];
