import type { Clock } from '../runtime/clock.ts';
import { decodeBody, isPlain } from './decode-body.ts';
import { describeFailure } from './describe-failure.ts';
import {
  BodyTooLargeError,
  exchange,
  type HttpAnswer,
  type HttpRequest,
  TimeOverError,
} from './exchange.ts';
import { followRedirect } from './follow-redirect.ts';
import type { Sockets } from './open-sockets.ts';
import type { Permit } from './permits.ts';

const maxRedirects = 5;

/** A server sees the first request of a connection only after it has taken the connection. */
const acceptMs = 25;

/**
 * What came of an attempt. `broken` may go better next time, `unusable` will not, and `oversized`
 * is an answer that we do not take and that would be paid for again.
 */
export type AttemptResult =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer; readonly durationMs: number }
  | {
      readonly kind: 'broken' | 'unusable' | 'oversized';
      readonly reason: string;
      readonly durationMs: number;
    };

export interface SendOptions {
  readonly sockets: Sockets;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
}

/**
 * Makes one attempt, redirects and all. The service counts requests, not attempts, so every request
 * takes its own permit. Throws only the reason of the signal, or what taking a permit throws.
 */
export async function sendRequest(
  { sockets, clock, timeoutMs, maxBodyBytes }: SendOptions,
  request: HttpRequest,
  takePermit: () => Permit | Promise<Permit>,
  signal: AbortSignal,
): Promise<AttemptResult> {
  let current = request;
  let durationMs = 0;
  for (let redirects = 0; ; redirects += 1) {
    const permit = await takePermit();
    const startedAtMs = clock.monotonicMs() - durationMs;
    let answer: HttpAnswer;
    try {
      answer = await exchange(sockets.dispatcher, current, {
        signal,
        timeoutMs: timeoutMs - durationMs,
        maxBodyBytes,
        onStart: () => permit.start(sockets.isFirstOfConnection() ? acceptMs : 0),
      });
      if (!isPlain(answer)) answer = await decode(answer, maxBodyBytes);
    } catch (error) {
      return { ...readFailure(error, signal), durationMs: msSince(startedAtMs, clock) };
    } finally {
      // An attempt that never reached a socket counts too, or a dead host would be asked without limit.
      permit.start();
    }
    durationMs = msSince(startedAtMs, clock);
    const step = followRedirect(current, answer);
    if (step.kind === 'stay') return { kind: 'answered', answer, durationMs };
    if (step.kind === 'refuse') return { kind: 'unusable', reason: step.reason, durationMs };
    if (redirects === maxRedirects) {
      return { kind: 'unusable', reason: `more than ${maxRedirects} redirects`, durationMs };
    }
    current = step.request;
  }
}

function readFailure(error: unknown, signal: AbortSignal) {
  if (error instanceof TimeOverError) {
    return { kind: 'broken', reason: 'no whole answer within the time allowed' } as const;
  }
  signal.throwIfAborted();
  const kind = error instanceof BodyTooLargeError ? 'oversized' : 'broken';
  return { kind, reason: describeFailure(error) } as const;
}

function msSince(startedAtMs: number, clock: Clock): number {
  return Math.round(clock.monotonicMs() - startedAtMs);
}

async function decode(answer: HttpAnswer, maxBodyBytes: number): Promise<HttpAnswer> {
  const decoded = decodeBody(answer, maxBodyBytes);
  // The status of an error says enough, even when its body was cut or cannot be decompressed.
  const body = answer.status < 300 ? decoded : decoded.catch(() => Buffer.alloc(0));
  return { ...answer, body: await body };
}
