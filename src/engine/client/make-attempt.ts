import type { Call, Hit } from '../../core/contract/call.ts';
import { hasMoreValues } from '../../core/values/count-values.ts';
import { redirections } from '../../platform/net/open-sockets.ts';
import { describeFailure } from '../../platform/outside-failures.ts';
import type { HttpRequest, HttpResponse, Provider, Verdict } from '../providers/provider.ts';
import type { CallRequest } from './call-request.ts';
import type { ClientEvent } from './client-event.ts';
import { judgeAttempt, type Sent } from './judge/judge-attempt.ts';
import { readRetryAfter } from './judge/read-retry-after.ts';
import type { ClientParts } from './open-client.ts';
import { decodeBody } from './wire/decode-body.ts';
import {
  BodyTooLargeError,
  sendRequest,
  TimeOverError,
  TooLateError,
} from './wire/send-request.ts';

export interface Attempt {
  readonly verdict: Verdict;
  /** Status 0 if there was none. */
  readonly response: HttpResponse;
  readonly durationMs: number;
  readonly fetchedAt?: number;
  readonly isFetchedElsewhere?: true;
}

const maxRedirects = 5;
const noResponse: HttpResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };

export async function makeAttempt(
  parts: ClientParts,
  request: CallRequest,
  signal: AbortSignal,
  /** Accept a company by its first bytes. The queue parses the body and returns misread ones. */
  mayPresume = false,
): Promise<Attempt> {
  const { call } = request;
  const sent = await sendAndFollow(parts, request, signal);
  const mayTrust = mayPresume && parts.breaker.trustsHits;
  const verdict =
    (mayTrust && presume(parts.provider, call, sent.response)) || judge(parts, call, sent);
  parts.onEvent(attemptMade(call, { ...sent, verdict }));
  return conclude(parts, request, sent, verdict);
}

/** For a presumed company that is not in the body. Its request was counted when it was made. */
export function judgeMisread(
  parts: ClientParts,
  request: CallRequest,
  { status, body, durationMs }: Hit,
): Attempt {
  parts.breaker.noteMisread();
  const sent = { response: { status, headers: {}, body }, durationMs, waitsWhenSent: 0 };
  return conclude(parts, request, sent, judge(parts, request.call, sent));
}

interface Followed extends Sent {
  /** The time of all redirects together. */
  readonly durationMs: number;
  readonly waitsWhenSent: number;
}

function judge({ provider, redact, breaker }: ClientParts, call: Call, sent: Followed) {
  return judgeAttempt(provider, call, sent, redact, breaker.hasEverFound);
}

function conclude(
  { throttle, permits, clock }: ClientParts,
  request: CallRequest,
  { response, durationMs, waitsWhenSent }: Followed,
  verdict: Verdict,
): Attempt {
  const { status, headers } = response;
  // A request without an answer may be charged, so it is not free.
  if (status === 503 || refusals.includes(verdict.kind)) request.state = 'reserved';
  if (verdict.kind === 'throttled') {
    const retryAfterMs = readRetryAfter(headers, clock.wallMs());
    const waitMs = throttle.nextWaitMs(waitsWhenSent, retryAfterMs);
    permits.slowDown(durationMs, waitMs, retryAfterMs !== undefined);
  }
  return { verdict, response, durationMs };
}

function presume(
  { presumed }: Provider,
  { operation }: Call,
  { status, body }: HttpResponse,
): Verdict | undefined {
  if (status !== 200 || operation !== 'company') return undefined;
  const companyId = presumed?.companyId(body);
  return companyId === undefined ? undefined : { kind: 'hit', companyId, isPresumed: true };
}

export function attemptMade(
  { operation }: Call,
  { verdict: { kind: verdict }, response: { status }, durationMs }: Attempt,
): ClientEvent {
  const type = 'attempt.made';
  return { type, operation, ...(status > 0 && { status }), verdict, durationMs };
}

/** A stop does not cancel a request in flight, because its answer may be charged. */
async function sendAndFollow(
  parts: ClientParts,
  reserved: CallRequest,
  signal: AbortSignal,
): Promise<Followed> {
  const { throttle, permits, clock, requestsInFlight } = parts;
  const signalUntilSent = parts.runStop.or(signal);
  let request = parts.requests.requestFor(reserved.call);
  let redirects = 0;
  let durationMs = 0;
  for (;;) {
    signalUntilSent.throwIfAborted();
    // Following a redirect needs another permit, because the service counts that request too.
    const granted = permits.take(signalUntilSent);
    const permit = granted instanceof Promise ? await granted : granted;
    const startedAtMs = clock.monotonicMs() - durationMs;
    let waitsWhenSent = 0;
    const onStart = () => {
      // The permit expires if another call was throttled or the handshake took too long.
      if (!permit.start()) return false;
      waitsWhenSent = throttle.noteLeaving();
      reserved.state = 'sent';
      requestsInFlight.set(reserved, clock.monotonicMs());
      return true;
    };
    const timeoutMs = parts.timeoutMs - durationMs;
    let sent: Sent | undefined;
    try {
      if (!signalUntilSent.aborted) {
        sent = await sendOnce(parts, request, timeoutMs, onStart, signalUntilSent, signal);
      }
    } finally {
      requestsInFlight.delete(reserved);
    }
    durationMs = Math.round(clock.monotonicMs() - startedAtMs);
    if (!sent) {
      permit.release();
      continue;
    }
    const { response, failure } = sent;
    if (!redirections.includes(response.status)) {
      const isUnreached = failure && !reserved.mayBeCharged;
      const reported = isUnreached ? { ...failure, isUnreached } : failure;
      return { response, failure: reported, durationMs, waitsWhenSent };
    }
    reserved.book('free');
    const { path, reason = `more than ${maxRedirects} redirects` } = readRedirect(
      request,
      response,
    );
    if (path === undefined || redirects === maxRedirects) {
      const unusable = { kind: 'unusable', reason } as const;
      return { response: noResponse, failure: unusable, durationMs, waitsWhenSent };
    }
    request = { ...request, path };
    redirects += 1;
  }
}

/** Returns undefined if the request was too late to be sent. Throws only a signal's reason. */
async function sendOnce(
  { sockets, maxBodyBytes, withoutKey }: ClientParts,
  request: HttpRequest,
  timeoutMs: number,
  onStart: () => boolean,
  signalUntilSent: AbortSignal,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  try {
    const options = { signal, signalUntilSent, timeoutMs, maxBodyBytes, onStart };
    const response = await sendRequest(sockets, request, options);
    const { status, headers } = response;
    const isPlain = !headers['content-encoding'] || response.body.length === 0;
    const plain = isPlain ? response.body : await decodeBody(response, maxBodyBytes);
    // Error bodies need no check: they are already limited to 256 KB.
    if (status < 300 && hasMoreValues(plain, mostValues)) {
      throw new BodyTooLargeError(`the answer contains more than ${mostValues} values`);
    }
    return { response: { status, headers, body: withoutKey(plain) } };
  } catch (error) {
    if (error instanceof TooLateError) return undefined;
    if (signalUntilSent.aborted && error === signalUntilSent.reason) throw error;
    if (!(error instanceof TimeOverError)) signal.throwIfAborted();
    const kind = error instanceof BodyTooLargeError ? 'oversized' : 'transient';
    return { response: noResponse, failure: { kind, reason: describeFailure(error) } };
  }
}

/** About 25 MB, at 100 bytes per parsed value. The largest company has about 5,000 values. */
const mostValues = 250_000;

/** Stays within the same origin, because no other host may see the key. */
function readRedirect(
  { origin, path, method }: HttpRequest,
  { status, headers: { location } }: HttpResponse,
): { readonly path?: string; readonly reason?: string } {
  const url = typeof location === 'string' && URL.parse(location, origin + path);
  if (!url) return { reason: `HTTP ${status} without a readable Location` };
  if (url.origin !== origin) return { reason: `HTTP ${status} to another host, ${url.origin}` };
  // Browsers would repeat a POST as a GET without the body, which is a different query.
  if (status < 307 && method !== 'GET')
    return { reason: `HTTP ${status}, a redirect that turns POST into GET` };
  return { path: url.pathname + url.search };
}

/** An answered request, if only hits are charged. */
export function isUnpaid(
  { verdict, response: { status } }: Pick<Attempt, 'verdict' | 'response'>,
  charged: ClientParts['charged'],
): boolean {
  const { kind } = verdict;
  const isNoHit =
    noHits.includes(kind) ||
    (kind === 'unreadable' && status >= 400) ||
    (kind === 'hit' && verdict.isEmpty === true);
  return charged === 'hits' && isNoHit;
}

const refusals = ['throttled', 'refused', 'forbidden', 'quota'];
const noHits = ['miss', 'invalid', 'unproven'];
