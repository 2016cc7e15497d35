import pLimit, { type LimitFunction } from 'p-limit';
import type { Dispatcher } from 'undici';
import type { Call, CallResult, Hit } from '../../core/contract/call.ts';
import { createRedactor, type Redact } from '../../core/values/redact.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { openSockets } from '../../platform/net/open-sockets.ts';
import type { Provider, ProviderRequests } from '../providers/provider.ts';
import { type CallRequest, noBudget, type ReservedRequests } from './call-request.ts';
import type { OnEvent } from './client-event.ts';
import { type Breaker, createBreaker } from './judge/breaker.ts';
import { guardKey } from './judge/judge-attempt.ts';
import { makeAttempt } from './make-attempt.ts';
import { openPermits, type Permits } from './rate/permits.ts';
import type { RateStore } from './rate/rate-state.ts';
import { createThrottle, type Throttle } from './rate/throttle.ts';
import { createRunStop, type RunStop } from './run-stop.ts';
import { type MakeAttempt, sendCall } from './send-call.ts';
import { acceptEncoding } from './wire/decode-body.ts';
import { defaultMaxBodyBytes } from './wire/send-request.ts';

export interface ClientOptions {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly key: string;
  /** ` (in the variable MAIN_KEY)`, which follows "the key" in messages. */
  readonly keyPlace?: string;
  /** Requests per second, retries included. */
  readonly rate: number | 'none';
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly maxWaitMs: number;
  readonly maxBodyBytes?: number;
  /** If the service has found a company before, an empty 404 counts as a miss. */
  readonly hasEverFound?: boolean;
  readonly budget?: ReservedRequests;
  readonly charged?: 'hits' | 'answers';
  readonly sharedRate?: RateStore | undefined;
  readonly onEvent?: OnEvent;
  readonly clock?: Clock;
}

export interface Client extends AsyncDisposable {
  /**
   * Throws a DossierError if no request was sent, or an UnansweredError if one was.
   *
   * If another run fetched the result, it is a hit or miss with `isFetchedElsewhere`. Then that run
   * paid for it, so this run's request is given back. It was fetched at `fetchedAt`, perhaps
   * before this call was sent, so it does not show that the service works now.
   *
   * `misread`: an earlier result of this call, whose presumed company is not in its body.
   */
  send(
    call: Call,
    signal: AbortSignal,
    hasFailedBefore?: boolean,
    misread?: Hit,
  ): Promise<CallResult>;
  /** Call after the last result. Throws if the service was unreachable for every call. */
  requireAnswers(): void;
  /** Call once the result is stored: runs that share answers may then evict it. */
  noteStored(result: CallResult): void;
  stop(error: Error): void;
  requestsInFlight(): { readonly calls: readonly Call[]; readonly atMostMs: number };
}

export function openClient(options: ClientOptions): Client {
  const parts = openParts(options, options.sharedRate && [options.sharedRate]);
  const { runStop, breaker, requestsInFlight, clock, timeoutMs } = parts;
  const attemptOnce: MakeAttempt = (...attempt) => makeAttempt(parts, ...attempt, true);
  return {
    send: (call, signal, hasFailedBefore = false, misread) =>
      sendCall(parts, attemptOnce, call, hasFailedBefore, signal, misread),
    requireAnswers: breaker.requireAnswers,
    noteStored: () => {},
    stop: runStop.stop,
    requestsInFlight() {
      const newestMs = [...requestsInFlight.values()].at(-1) ?? Number.NEGATIVE_INFINITY;
      // Each timeout started before its request left, so after `atMostMs` every request has ended.
      const atMostMs = Math.max(0, newestMs + timeoutMs - clock.monotonicMs());
      return { calls: [...requestsInFlight.keys()].map(({ call }) => call), atMostMs };
    },
    [Symbol.asyncDispose]: parts[Symbol.asyncDispose],
  };
}

const headers = { 'accept-encoding': acceptEncoding, 'user-agent': 'dossier' };

type Defaulted = 'clock' | 'onEvent' | 'maxBodyBytes' | 'budget' | 'charged' | 'keyPlace';

/** What all calls of a client share. */
export interface ClientParts
  extends AsyncDisposable,
    Required<Pick<ClientOptions, Defaulted | 'provider' | 'timeoutMs' | 'attempts' | 'maxWaitMs'>> {
  readonly runStop: RunStop;
  readonly requests: ProviderRequests;
  readonly sockets: Dispatcher;
  /** Calls in progress. A retry waits outside of it. */
  readonly limit: LimitFunction;
  readonly permits: Permits;
  readonly throttle: Throttle;
  readonly breaker: Breaker;
  /** With the time at which they left. */
  readonly requestsInFlight: Map<CallRequest, number>;
  readonly redact: Redact;
  /** Removes a key that the service repeats in a body. */
  withoutKey(body: Buffer): Buffer;
}

export function openParts(
  options: ClientOptions,
  stores: readonly RateStore[] | undefined,
): ClientParts {
  const { clock = systemClock, onEvent = () => {}, maxWaitMs, timeoutMs, rate } = options;
  const { maxBodyBytes = defaultMaxBodyBytes } = options;
  const { budget = noBudget, charged = 'answers', attempts } = options;
  const { key, provider, keyPlace = '' } = options;
  const baseUrl = new URL(options.baseUrl);
  const runStop = createRunStop();
  const throttle = createThrottle(maxWaitMs, clock, onEvent, runStop);
  const onClosed = throttle.noteClosed;
  const permits = openPermits(rate, clock, { stores, onEvent, onClosed });
  const sockets = openSockets(baseUrl, options);
  // Queued here, because a request queued in the socket pool can be neither aborted nor timed.
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
    maxWaitMs,
    budget,
    charged,
    keyPlace,
    sockets,
    permits,
    requestsInFlight: new Map(),
    limit,
    breaker: createBreaker(baseUrl.origin, runStop, options.hasEverFound),
    redact: createRedactor([key]),
    withoutKey: guardKey(key),
    provider,
    requests: provider.requests({ baseUrl, key, headers }),
    async [Symbol.asyncDispose]() {
      runStop.stop(new Error('The client is closed.'));
      // Not close(), which would wait for a service that never answers.
      await sockets.destroy();
      permits[Symbol.dispose]();
    },
  };
}
