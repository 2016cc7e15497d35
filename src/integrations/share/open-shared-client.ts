import type { Redis } from 'ioredis';
import type { CallResult } from '../../core/contract/call.ts';
import type { ReuseTerms } from '../../core/rules/reuse.ts';
import { attemptMade } from '../../engine/client/make-attempt.ts';
import { type Client, type ClientOptions, openParts } from '../../engine/client/open-client.ts';
import { type MakeAttempt, sendCall } from '../../engine/client/send-call.ts';
import { systemClock } from '../../platform/clock.ts';
import { retry, withTimeout } from '../../platform/retry.ts';
import { fetchCall, graceMs } from './fetch-call.ts';
import { openHeartbeat, type RedisListener } from './heartbeat.ts';
import { openCallMaker } from './make-calls.ts';
import { openRedisStore } from './rate/redis-store.ts';
import { checkEviction, checkVersion, openRedis, readServerFacts, shareKeys } from './redis.ts';
import { connectionLostError, isFull, isRefused } from './redis-errors.ts';
import { createAnswerStore, mostAnswerBytes } from './shared-answers.ts';
import { callName, openCalls } from './shared-calls.ts';

interface SharedClientOptions extends ClientOptions {
  /** May contain a password. */
  readonly redis: URL;
  /** See `serviceIdentity`. */
  readonly service: string;
  readonly maxBytes?: number;
  readonly reuse: ReuseTerms;
  readonly listener: RedisListener;
}

/** Long enough for a restart of Redis. */
const openingMs = 20_000;
const makeRoomMs = 2_000;
const awayGraceMs = 200;

export async function openSharedClient(options: SharedClientOptions): Promise<Client> {
  const { redis: address } = options;
  const redis = await openRedis(address);
  const refused = new AbortController();
  const noteRefusal = (error: Error) => {
    if (isRefused(error)) refused.abort(error);
  };
  redis.on('error', noteRefusal);
  try {
    const overdue = AbortSignal.any([AbortSignal.timeout(openingMs), refused.signal]);
    return await withTimeout(open(redis, options), overdue);
  } catch (error) {
    redis.disconnect();
    throw connectionLostError(address, error);
  } finally {
    redis.off('error', noteRefusal);
  }
}

/**
 * Runs with the same service and key share answers and a rate, and stop together:
 * - One process at a time makes a call, and only while a run still waits for it.
 * - The first run that requests a call pays for it.
 * - Before a run offers a call, it reserves a request: another process may make the call, but this
 *   run pays.
 * - Redis may restart empty at any moment. A call that may have been sent before the restart counts
 *   as charged.
 */
async function open(redis: Redis, options: SharedClientOptions): Promise<Client> {
  const {
    clock = systemClock,
    redis: address,
    maxBytes = mostAnswerBytes,
    reuse,
    sharedRate,
  } = options;
  const keys = shareKeys(options.service, options.key);
  await checkServer(redis);
  const answers = createAnswerStore(redis, keys);
  const retryOptions = { clock, evictAnswers: answers.evict };
  const store = openRedisStore(redis, keys.rate, retryOptions);
  const parts = openParts(options, sharedRate ? [sharedRate, store] : [store]);
  const { runStop, breaker, permits, budget, timeoutMs, onEvent } = parts;
  const heartbeat = openHeartbeat(redis, keys, {
    ...options,
    address,
    clock,
    runStop,
    onBeat: () => void permits.beat().catch(() => {}),
  });
  const room = { canRetry: isFull, waitMs: 100, untilMs: makeRoomMs, onRetry: answers.evict };
  await retry(heartbeat.beat, room);
  const startedAt = heartbeat.nowMs();
  const calls = openCalls(redis, keys, startedAt);
  const stopAtRefusal = (error: Error) => {
    if (isRefused(error)) runStop.stop(connectionLostError(address, error));
  };
  redis.on('error', stopAtRefusal);
  const share = { ...parts, answers, heartbeat, retryOptions };
  const maker = openCallMaker({
    ...share,
    redis,
    keys,
    concurrency: options.concurrency,
    maxBytes,
    deliver: calls.end,
    onEvent: () => {},
    onError(error) {
      heartbeat.noteError(error);
      stopAtRefusal(error);
    },
  });
  // Awaited by each call and not here: opening fails after 20 s without Redis, but calls wait.
  const ready = Promise.all([calls.ready, maker.ready]);
  ready.catch(() => {});
  runStop.signal.addEventListener('abort', () => {
    heartbeat.leave(runStop.signal.reason).catch(() => {});
  });

  const requesting = { ...share, calls, maker, reuse, startedAt };
  const attemptOnce: MakeAttempt = async (request, signal) => {
    const made = await fetchCall(requesting, request, signal);
    heartbeat.noteAttempt(made);
    if (!made.isFetchedElsewhere) onEvent(attemptMade(request.call, made));
    return made;
  };
  const names = new WeakMap<CallResult, string>();

  return {
    async send(call, signal, hasFailedBefore = false) {
      try {
        await withTimeout(ready, runStop.or(signal));
      } catch (error) {
        budget.book(call, 'unsent');
        throw error;
      }
      const sent = await sendCall(parts, attemptOnce, call, hasFailedBefore, signal);
      const result = sent.isFetchedElsewhere ? { ...sent, attempts: sent.attempts - 1 } : sent;
      if ('body' in result) names.set(result, callName(call));
      return result;
    },
    requireAnswers: breaker.requireAnswers,
    noteStored(result) {
      const name = names.get(result);
      if (name === undefined) return;
      // The ledger may commit before Redis has the answer, so wait until Redis has it.
      const stored = () => answers.noteStored(name);
      void Promise.resolve(maker.making(name)).then(stored, stored);
    },
    stop: runStop.stop,
    requestsInFlight: () => ({ calls: calls.active(), atMostMs: timeoutMs }),
    async [Symbol.asyncDispose]() {
      runStop.stop(new Error('The client is closed.'));
      const isAway = heartbeat.awaySinceMs() !== undefined;
      // Wait for requests in flight, because other runs pay for them.
      const answersMs = isAway ? 1 : timeoutMs + graceMs;
      const closingMs = isAway ? awayGraceMs : graceMs;
      await atMost(maker.close(answersMs), answersMs + closingMs);
      await parts[Symbol.asyncDispose]();
      await atMost(answers.flush(), closingMs);
      heartbeat[Symbol.dispose]();
      await atMost(calls[Symbol.asyncDispose](), closingMs);
      redis.disconnect();
    },
  };
}

async function checkServer(redis: Redis) {
  const facts = await readServerFacts(redis);
  checkVersion(facts);
  checkEviction(facts);
}

async function atMost(work: Promise<unknown>, ms: number) {
  await withTimeout(work, ms).catch(() => {});
}
