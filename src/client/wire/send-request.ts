import type { Dispatcher } from 'undici';
import type { Clock } from '../../runtime/clock.ts';
import { hasMoreValues } from '../../runtime/json/count-values.ts';
import { describeFailure } from '../../runtime/outside-failures.ts';
import type { Verdict } from '../judge/classify-answer.ts';
import type { Permit } from '../rate/permits.ts';
import type { BodyBudget } from './body-budget.ts';
import { decodeBody } from './decode-body.ts';
import {
  BodyTooLargeError,
  exchange,
  type HttpAnswer,
  type HttpRequest,
  TimeOverError,
  TooLateError,
} from './exchange.ts';

const maxRedirects = 5;

export interface SendOptions {
  readonly sockets: Dispatcher;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly bodies: BodyBudget;
}

/** What the rate, the budget and a stop of the run have to know of a request on its way. */
export interface RequestSteps {
  takePermit(): Promise<Permit>;
  /** The request is written now. It may be charged from here on. */
  onLeave?(): void;
  /** The service has sent the request elsewhere, so that it is not charged. */
  onRedirect?(): void;
  /** Aborted to keep back what has not left; what has left goes on. */
  readonly keepBack?: AbortSignal;
}

/**
 * Sends a request and follows its redirects. Where there is no answer to judge, the verdict comes at
 * once. The service counts requests, not attempts, so every request takes its own permit. The body
 * of an answer counts in `bodies` until it is freed there. Throws only the reason of a signal, or
 * what taking a permit throws.
 */
export async function sendRequest(
  { sockets, clock, timeoutMs, maxBodyBytes, bodies }: SendOptions,
  request: HttpRequest,
  steps: RequestSteps,
  signal: AbortSignal,
): Promise<{ readonly result: HttpAnswer | Verdict; readonly durationMs: number }> {
  let current = request;
  let durationMs = 0;
  for (let redirects = 0; ; ) {
    const permit = await steps.takePermit();
    const startedAtMs = clock.monotonicMs() - durationMs;
    const share = bodies.open();
    let hasLeft = false;
    let answer: HttpAnswer | undefined;
    try {
      const { status, headers, body } = await exchange(sockets, current, {
        signal,
        keepBack: steps.keepBack ?? signal,
        timeoutMs: timeoutMs - durationMs,
        share,
        maxBodyBytes,
        onStart: () => {
          // A handshake may take long, and the place in the window is for a request that leaves now.
          if (!permit.start()) return false;
          hasLeft = true;
          steps.onLeave?.();
          return true;
        },
      });
      const plain = await decodeBody({ status, headers, body }, maxBodyBytes, share);
      refuseManyValues(status, plain);
      answer = { status, headers, body: plain };
    } catch (error) {
      if (error instanceof TooLateError) {
        durationMs = msSince(startedAtMs, clock);
        permit.release();
        continue;
      }
      if (steps.keepBack?.aborted && error === steps.keepBack.reason) throw error;
      const failure = failureOf(error, signal);
      const result = hasLeft ? failure : { ...failure, isUnreached: true };
      return { result, durationMs: msSince(startedAtMs, clock) };
    } finally {
      share.close(answer?.body.length ?? 0);
    }
    durationMs = msSince(startedAtMs, clock);
    const next = followRedirect(current, answer);
    if (next === undefined) return { result: answer, durationMs };
    steps.onRedirect?.();
    bodies.free(answer.body.length);
    if (typeof next === 'string' || redirects === maxRedirects) {
      const reason = typeof next === 'string' ? next : `more than ${maxRedirects} redirects`;
      return { result: { kind: 'unusable', reason }, durationMs };
    }
    current = next;
    redirects += 1;
  }
}

/** The largest company there is has some five thousand; a reader takes about 100 bytes for each. */
const mostValues = 250_000;

function refuseManyValues(status: number, body: Buffer): void {
  // Of an error only the beginning is kept, which is short.
  if (status >= 300 || !hasMoreValues(body, mostValues)) return;
  throw new BodyTooLargeError(`the answer holds over ${mostValues} values`);
}

function failureOf(error: unknown, signal: AbortSignal): Verdict {
  if (error instanceof TimeOverError) {
    return { kind: 'transient', reason: 'no whole answer within the time allowed' };
  }
  signal.throwIfAborted();
  const kind = error instanceof BodyTooLargeError ? 'oversized' : 'transient';
  return { kind, reason: describeFailure(error) };
}

function msSince(startedAtMs: number, clock: Clock): number {
  return Math.round(clock.monotonicMs() - startedAtMs);
}

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
