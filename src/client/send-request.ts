import type { Clock } from '../runtime/clock.ts';
import { decodeBody } from './decode-body.ts';
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
import type { Permit, Permits } from './permits.ts';

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
  readonly permits: Permits;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
}

/** Makes one attempt, redirects and all. Throws only the reason of the signal. */
export async function sendRequest(
  options: SendOptions,
  request: HttpRequest,
  firstPermit: Permit,
  signal: AbortSignal,
): Promise<AttemptResult> {
  let current = request;
  let permit = firstPermit;
  let durationMs = 0;
  for (let redirects = 0; ; redirects += 1) {
    const result = await sendOnce(options, current, permit, options.timeoutMs - durationMs, signal);
    durationMs += result.durationMs;
    if (result.kind !== 'answered') return { ...result, durationMs };
    const step = followRedirect(current, result.answer);
    if (step.kind === 'stay') return { ...result, durationMs };
    if (step.kind === 'refuse') return { kind: 'unusable', reason: step.reason, durationMs };
    if (redirects === maxRedirects) {
      return { kind: 'unusable', reason: `more than ${maxRedirects} redirects`, durationMs };
    }
    current = step.request;
    // The service counts requests, not attempts, so the second request needs its own permit.
    permit = await options.permits.take(signal);
  }
}

async function sendOnce(
  { sockets, clock, maxBodyBytes }: SendOptions,
  request: HttpRequest,
  permit: Permit,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const startedAtMs = clock.monotonicMs();
  const elapsedMs = () => Math.round(clock.monotonicMs() - startedAtMs);
  try {
    const answer = await exchange(sockets.dispatcher, request, {
      signal,
      timeoutMs,
      maxBodyBytes,
      onStart: () => permit.start(sockets.isFirstOfConnection() ? acceptMs : 0),
    });
    const body = await readBody(answer, maxBodyBytes);
    return { kind: 'answered', answer: { ...answer, body }, durationMs: elapsedMs() };
  } catch (error) {
    if (error instanceof TimeOverError) {
      const reason = `no whole answer within the time allowed`;
      return { kind: 'broken', reason, durationMs: elapsedMs() };
    }
    signal.throwIfAborted();
    const kind = error instanceof BodyTooLargeError ? 'oversized' : 'broken';
    return { kind, reason: describeFailure(error), durationMs: elapsedMs() };
  } finally {
    // An attempt that never reached a socket counts too, or a dead host would be asked without limit.
    permit.start();
  }
}

async function readBody(answer: HttpAnswer, maxBodyBytes: number): Promise<Buffer> {
  if (answer.status < 300) return await decodeBody(answer, maxBodyBytes);
  // The status of an error says enough, even when its body was cut or cannot be decompressed.
  return await decodeBody(answer, maxBodyBytes).catch(() => Buffer.alloc(0));
}
