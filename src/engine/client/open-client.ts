import pLimit from 'p-limit';
import type { CallOutcome, CallRequest } from '../../core/contract/call.ts';
import { type Clock, systemClock } from '../../core/runtime/clock.ts';
import { createRedactor } from '../../core/runtime/log/redact.ts';
import { openSockets } from '../../core/runtime/net/open-sockets.ts';
import type { OnEvent } from './client-event.ts';
import { openBreaker } from './judge/breaker.ts';
import { guardKey } from './judge/judge-attempt.ts';
import { makeAttempt, type RequestBudget, type Reservation } from './make-attempt.ts';
import { openPermits } from './rate/permits.ts';
import type { RateStore } from './rate/rate-state.ts';
import { openThrottle } from './rate/throttle.ts';
import { openRunStop } from './run-stop.ts';
import { type AskOnce, sendCall } from './send-call.ts';
import { createRequestBuilder, parseBaseUrl, parseKey } from './wire/build-request.ts';
import { defaultMaxBodyBytes, openLargeBodies } from './wire/large-bodies.ts';

export interface ClientOptions {
  /** May have a path prefix, with or without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Requests a second, every attempt counted; 0.5 is one every two seconds. */
  readonly rate: number | 'none';
  readonly concurrency: number;
  /** For the whole of one attempt. */
  readonly timeoutMs: number;
  readonly attempts: number;
  /** The longest the service may throttle us before the run stops. */
  readonly maxWaitMs: number;
  readonly maxBodyBytes?: number;
  /** The service has given a hit before, so that an empty 404 is its word for a miss. */
  readonly isProven?: boolean;
  /** Without one, any number of requests may be charged. */
  readonly budget?: RequestBudget;
  /** Whether only hits are charged, or every answer, which is the default. */
  readonly charged?: 'hits' | 'answers';
  /** Shares the rate with other processes that send with the same key. */
  readonly sharedRate?: RateStore | undefined;
  readonly onEvent?: OnEvent;
  readonly clock?: Clock;
}

export interface Client extends AsyncDisposable {
  /**
   * Asks until the call has an outcome. Throws a DossierError only where the whole run must stop. A call
   * that has failed in an earlier execution says less of the service when it fails again.
   */
  send(call: CallRequest, signal: AbortSignal, hasFailedBefore?: boolean): Promise<CallOutcome>;
  /** Called when every call has its outcome: throws where the service is to blame that none was answered. */
  judge(): void;
  /** Called when an outcome is stored, so that another large body may come. */
  release(outcome: CallOutcome): void;
  /**
   * Stops the run: no attempt leaves any more, and every `send` that waits throws the error, but an
   * attempt in flight may still be answered. Aborting the signal of `send` gives that up as well.
   */
  stop(error: Error): void;
  /** Requests that have left and are not answered. */
  onWire(): { readonly calls: readonly CallRequest[]; readonly atMostMs: number };
}

/** Opens the one way to the service. Disposing closes its sockets. */
export function openClient(options: ClientOptions): Client {
  const parts = openParts(options, options.sharedRate && [options.sharedRate]);
  const { runStop, bodies, breaker, onWire, clock, timeoutMs } = parts;
  const askOnce: AskOnce = (...asked) => makeAttempt(parts, ...asked);
  return {
    send: (call, signal, hasFailedBefore = false) =>
      sendCall(parts, askOnce, call, hasFailedBefore, signal),
    judge() {
      breaker.judgeEnd();
      runStop.signal.throwIfAborted();
    },
    release: (outcome) => 'body' in outcome && bodies.release(outcome.body),
    stop: runStop.stop,
    onWire() {
      const requests = [...onWire.values()];
      const newestMs = requests.at(-1)?.leftAtMs ?? Number.NEGATIVE_INFINITY;
      // The deadline of an attempt begins before its request leaves, so this is never too short.
      const atMostMs = Math.max(0, newestMs + timeoutMs - clock.monotonicMs());
      return { calls: requests.map(({ call }) => call), atMostMs };
    },
    [Symbol.asyncDispose]: parts[Symbol.asyncDispose],
  };
}

/** Three of the largest, compressed and plain. */
const mostLargeBodies = 3;

export type ClientParts = ReturnType<typeof openParts>;

/** The parts of a client, on one machine or many. A request needs a place in each of the stores. */
export function openParts(options: ClientOptions, stores: readonly RateStore[] | undefined) {
  const { clock = systemClock, onEvent = () => {}, maxWaitMs, timeoutMs, rate } = options;
  const { maxBodyBytes = defaultMaxBodyBytes } = options;
  const noBudget: RequestBudget = { reserve: () => true, refund: () => {} };
  const { budget = noBudget, charged = 'answers', attempts } = options;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const runStop = openRunStop();
  const throttle = openThrottle(maxWaitMs, clock, onEvent, runStop);
  const onClosed = throttle.noteClosed;
  const permits = openPermits(rate, clock, { stores, maxWaitMs, onEvent, onClosed });
  const sockets = openSockets(baseUrl, options);
  // As many attempts as sockets: a request that queues inside the pool can neither be aborted nor timed.
  const limit = pLimit({ concurrency: options.concurrency, rejectOnClear: true });
  runStop.signal.addEventListener('abort', () => limit.clearQueue());
  return {
    clock,
    onEvent,
    timeoutMs,
    maxBodyBytes,
    runStop,
    throttle,
    attempts,
    budget,
    charged,
    sockets,
    permits,
    /** Requests that have left and are not answered: a stop waits for them, a second signal names them. */
    onWire: new Map<Reservation, { readonly call: CallRequest; readonly leftAtMs: number }>(),
    bodies: openLargeBodies(mostLargeBodies),
    limit,
    breaker: openBreaker(baseUrl.origin, runStop, options.isProven),
    redact: createRedactor([key]),
    withoutKey: guardKey(key),
    buildRequest: createRequestBuilder(baseUrl, key),
    async [Symbol.asyncDispose]() {
      runStop.stop(new Error('The client is closed.'));
      // Not close(): it would wait for a service that never answers.
      await sockets.destroy();
      permits[Symbol.dispose]();
    },
  };
}
