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
  options: SendOptions,
  request: HttpRequest,
  takePermit: () => Permit | Promise<Permit>,
  signal: AbortSignal,
): Promise<AttemptResult> {
  let current = request;
  let durationMs = 0;
  for (let redirects = 0; ; redirects += 1) {
    const permit = await takePermit();
    const result = await sendOnce(options, current, permit, durationMs, signal);
    if (result.kind !== 'answered') return result;
    durationMs = result.durationMs;
    const step = followRedirect(current, result.answer);
    if (step.kind === 'stay') return result;
    if (step.kind === 'refuse') return { kind: 'unusable', reason: step.reason, durationMs };
    if (redirects === maxRedirects) {
      return { kind: 'unusable', reason: `more than ${maxRedirects} redirects`, durationMs };
    }
    current = step.request;
  }
}

/** One request of an attempt that has taken some time already. */
async function sendOnce(
  { sockets, clock, timeoutMs, maxBodyBytes }: SendOptions,
  request: HttpRequest,
  permit: Permit,
  spentMs: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAtMs = clock.monotonicMs() - spentMs;
  try {
    const answer = await exchange(sockets.dispatcher, request, {
      signal,
      timeoutMs: timeoutMs - spentMs,
      maxBodyBytes,
      onStart: () => permit.start(sockets.isFirstOfConnection() ? acceptMs : 0),
    });
    const plain = isPlain(answer) ? answer : await decode(answer, maxBodyBytes);
    return { kind: 'answered', answer: plain, durationMs: msSince(startedAtMs, clock) };
  } catch (error) {
    if (error instanceof TimeOverError) {
      const reason = `no whole answer within the time allowed`;
      return { kind: 'broken', reason, durationMs: msSince(startedAtMs, clock) };
    }
    signal.throwIfAborted();
    const kind = error instanceof BodyTooLargeError ? 'oversized' : 'broken';
    return { kind, reason: describeFailure(error), durationMs: msSince(startedAtMs, clock) };
  } finally {
    // An attempt that never reached a socket counts too, or a dead host would be asked without limit.
    permit.start();
  }
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
