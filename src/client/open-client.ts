import type { CallOutcome, CallRequest } from '../contract/call.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { createRedactor } from '../runtime/log/redact.ts';
import { openSockets } from '../runtime/net/open-sockets.ts';
import type { OnEvent } from './client-event.ts';
import { openBreaker } from './judge/breaker.ts';
import { guardKey } from './judge/guard-key.ts';
import { makeAttempt } from './make-attempt.ts';
import { openPermits } from './rate/permits.ts';
import type { RateStore } from './rate/rate-state.ts';
import { tellRate } from './rate/tell-rate.ts';
import { openThrottle } from './rate/throttle.ts';
import { endlessBudget, type RequestBudget } from './request-budget.ts';
import { openRequestsOnWire, type RequestsOnWire } from './requests-on-wire.ts';
import { openRunStop } from './run-stop.ts';
import { type CallParts, limitAttempts, sendCall } from './send-call.ts';
import { defaultMaxBodyBytes, defaultMaxHeldBytes, openBodyBudget } from './wire/body-budget.ts';
import { createRequestBuilder, parseBaseUrl, parseKey } from './wire/build-request.ts';

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
  /** For all bodies from their first byte until they are released. */
  readonly maxHeldBytes?: number;
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
  /** Called when an outcome is stored: its body no longer counts in the body budget. */
  release(outcome: CallOutcome): void;
  /**
   * Stops the run: no attempt leaves any more, and every `send` that waits throws the error, but an
   * attempt in flight may still be answered. Aborting the signal of `send` gives that up as well.
   */
  stop(error: Error): void;
  /** Requests that have left and are not answered. */
  readonly onWire: RequestsOnWire['list'];
}

/** Opens the one way to the service. Disposing closes its sockets. */
export function openClient(options: ClientOptions): Client {
  const baseUrl = parseBaseUrl(options.baseUrl);
  const key = parseKey(options.key);
  const { clock = systemClock, onEvent = () => {}, maxWaitMs } = options;
  const runStop = openRunStop();
  const sockets = openSockets(baseUrl, options);
  const onWire = openRequestsOnWire(options.timeoutMs, clock);
  const bodies = openBodyBudget(options.maxHeldBytes ?? defaultMaxHeldBytes);
  const throttle = openThrottle({ maxWaitMs, clock, onEvent, runStop });
  const permits = openPermits(options.rate, clock, {
    stores: options.sharedRate && [options.sharedRate],
    maxWaitMs,
    onAllowed: tellRate(options.rate, onEvent),
    onClosed: throttle.noteClosed,
  });
  const parts = {
    sockets,
    bodies,
    clock,
    onEvent,
    runStop,
    onWire,
    budget: options.budget ?? endlessBudget,
    charged: options.charged ?? ('answers' as const),
    attempts: options.attempts,
    timeoutMs: options.timeoutMs,
    maxBodyBytes: options.maxBodyBytes ?? defaultMaxBodyBytes,
    permits,
    limit: limitAttempts(options.concurrency, runStop.signal),
    throttle,
    breaker: openBreaker(baseUrl.origin, runStop, options.isProven),
    redact: createRedactor([key]),
    withoutKey: guardKey(key),
    buildRequest: createRequestBuilder(baseUrl, key),
  };
  const callParts: CallParts = {
    ...parts,
    attempt: (call, reservation, signal) => makeAttempt(parts, call, reservation, signal),
  };
  return {
    send: (call, signal, hasFailedBefore = false) =>
      sendCall(callParts, call, hasFailedBefore, signal),
    judge() {
      parts.breaker.judgeEnd();
      runStop.signal.throwIfAborted();
    },
    release: (outcome) => bodies.free('body' in outcome ? outcome.body.length : 0),
    stop: runStop.stop,
    onWire: onWire.list,
    [Symbol.asyncDispose]: async () => {
      runStop.stop(new Error('The client is closed.'));
      // Not close(): it would wait for a service that never answers.
      await sockets.dispatcher.destroy();
      permits[Symbol.dispose]();
    },
  };
}
