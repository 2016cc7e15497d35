import type { Redis } from 'ioredis';
import type { CallOutcome, CallRequest } from '../../core/contract/call.ts';
import { UnansweredError } from '../../core/errors.ts';
import { type ReuseTerms, shelfLifeMs } from '../../core/rules/reuse.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { retry, withTimeout } from '../../core/runtime/retry.ts';
import type { Attempt, Reservation } from '../../engine/client/make-attempt.ts';
import { type Client, type ClientOptions, openParts } from '../../engine/client/open-client.ts';
import { type AskOnce, reserveAgain, sendCall } from '../../engine/client/send-call.ts';
import { parseKey } from '../../engine/client/wire/build-request.ts';
import { mostAnswerBytes, openAnswers, type SharedAnswer } from './answers.ts';
import { type CallEnd, callName, openCalls } from './calls.ts';
import { openHeartbeat, type RedisListener } from './heartbeat.ts';
import { openCallMaker } from './make-calls.ts';
import { openRedisStore } from './rate/redis-store.ts';
import {
  judgeEviction,
  judgeVersion,
  openRedis,
  type RedisRetryOptions,
  readServerFacts,
  retryRedis,
  shareKeys,
} from './redis.ts';
import { connectionLostError, isFull, isRefused } from './redis-errors.ts';

interface SharedClientOptions extends ClientOptions {
  /** May contain a password. */
  readonly redis: URL;
  readonly maxBytes?: number;
  readonly reuse: ReuseTerms;
  readonly listener: RedisListener;
}

/** Long enough for a restart of Redis. */
const openingMs = 20_000;
const makeRoomMs = 2_000;
const graceMs = 2_000;
const awayGraceMs = 200;
/** Waits this long, because a process presumed dead may still store its answer. */
const lateAnswerMs = 1_000;

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
  const keys = shareKeys(options.baseUrl, parseKey(options.key));
  const facts = await readServerFacts(redis);
  judgeVersion(facts);
  judgeEviction(facts);

  const answers = openAnswers(redis, keys);
  const retryOptions = { clock, evictAnswers: answers.evict };
  const store = openRedisStore(redis, keys.rate, retryOptions);
  const parts = openParts(options, sharedRate ? [sharedRate, store] : [store]);
  const { runStop, breaker, permits, budget, timeoutMs } = parts;
  const heartbeat = openHeartbeat(redis, keys, {
    ...options,
    address,
    clock,
    runStop,
    onBeat: () => void permits.beat().catch(() => {}),
  });
  await retry(heartbeat.beat, {
    canRetry: isFull,
    waitMs: 100,
    untilMs: makeRoomMs,
    onRetry: answers.evict,
  });
  const startedAt = heartbeat.nowMs();
  const calls = openCalls(redis, keys, startedAt);
  const stopAtRefusal = (error: Error) => {
    if (isRefused(error)) runStop.stop(connectionLostError(address, error));
  };
  redis.on('error', stopAtRefusal);
  const maker = openCallMaker({
    ...parts,
    redis,
    keys,
    answers,
    heartbeat,
    retryOptions,
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
  const ready = Promise.all([calls.ready(), maker.ready()]);
  ready.catch(() => {});
  runStop.signal.addEventListener('abort', () => {
    heartbeat.leave(runStop.signal.reason).catch(() => {});
  });

  const askOnce = openAsking(
    parts,
    answers,
    retryOptions,
    heartbeat,
    calls,
    maker,
    reuse,
    startedAt,
  );
  const names = new WeakMap<CallOutcome, string>();

  return {
    async send(call, signal, hasFailedBefore = false) {
      const waiting = runStop.or(signal);
      try {
        await withTimeout(ready, waiting);
      } catch (error) {
        budget.refund(call);
        throw error;
      }
      const sent = await sendCall(parts, askOnce, call, hasFailedBefore, signal);
      const outcome = sent.isReused ? { ...sent, attempts: sent.attempts - 1 } : sent;
      if ('body' in outcome) names.set(outcome, callName(call));
      return outcome;
    },
    judge() {
      breaker.judgeEnd();
      runStop.signal.throwIfAborted();
    },
    release(outcome) {
      const name = names.get(outcome);
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

function openAsking(
  { runStop, breaker, budget, clock, charged, timeoutMs, onEvent }: ReturnType<typeof openParts>,
  answers: ReturnType<typeof openAnswers>,
  retryOptions: RedisRetryOptions,
  heartbeat: ReturnType<typeof openHeartbeat>,
  calls: ReturnType<typeof openCalls>,
  maker: ReturnType<typeof openCallMaker>,
  reuse: ReuseTerms,
  startedAt: number,
): AskOnce {
  const freshFrom = (operation: CallRequest['operation']) => {
    const from = (kind: 'hit' | 'miss') => {
      const lifeMs = shelfLifeMs(reuse, kind, operation) * (1 - reuse.spread);
      return Math.min(startedAt, heartbeat.nowMs() - lifeMs);
    };
    return { hit: from('hit'), miss: from('miss') };
  };
  const lookAt = async (call: CallRequest, signal: AbortSignal) => {
    const answer = await retryRedis(() => answers.look(callName(call)), retryOptions, signal);
    return answer && answer.fetchedAt >= freshFrom(call.operation)[answer.kind]
      ? answer
      : undefined;
  };
  const take = (answer: SharedAnswer, reservation: Reservation, isOfOwnJob = false): Attempt => {
    const { kind, status, body, companyId, durationMs, fetchedAt, paidBy } = answer;
    if (paidBy === heartbeat.id) reservation.mayBeCharged = true;
    return {
      verdict: kind === 'hit' && companyId !== undefined ? { kind, companyId } : { kind },
      answer: { status, headers: {}, body },
      durationMs,
      fetchedAt,
      ...(!isOfOwnJob && paidBy !== heartbeat.id && { isReused: true }),
    };
  };
  const messageOf = ({ operation }: CallRequest) => ({
    run: heartbeat.id,
    redisRunId: heartbeat.redisRunId(),
    askedAt: Math.floor(heartbeat.nowMs()),
    freshFrom: freshFrom(operation),
    timeoutMs,
    charged,
    isProven: breaker.isProven,
  });
  type Expected = ReturnType<typeof calls.expect>;

  const untilEnd = async (call: CallRequest, expected: Expected, signal: AbortSignal) => {
    const waiting = runStop.or(signal);
    try {
      await retryRedis(() => expected.add(messageOf(call)), retryOptions, waiting);
      return await withTimeout(expected.end, waiting);
    } catch (error) {
      if (!waiting.aborted) throw error;
    }
    const isAway = heartbeat.awaySinceMs() !== undefined;
    // Until this run's heartbeat expires, another run may still send the call.
    const mayBeSentLater = isAway && !heartbeat.isMissed();
    const lateMs = isAway ? waitWithoutRedisMs(expected) : await takeBack(expected);
    try {
      const late = AbortSignal.timeout(lateMs);
      return await withTimeout(expected.end, AbortSignal.any([signal, late]));
    } catch {
      if (expected.taken() > 0 || mayBeSentLater) return undefined;
      throw waiting.reason;
    }
  };
  const waitWithoutRedisMs = ({ name }: Expected) => (maker.making(name) ? timeoutMs : 0);
  /** Returns the time to wait for the end of the call, which another process may be making. */
  const takeBack = async (expected: Expected) => {
    try {
      await withTimeout(expected.takeBack(heartbeat.id), graceMs);
      return graceMs;
    } catch {
      return timeoutMs + graceMs;
    }
  };
  const attemptOf = async (
    end: CallEnd,
    expected: Expected,
    reservation: Reservation,
    signal: AbortSignal,
  ): Promise<Attempt | undefined> => {
    const waiting = runStop.or(signal);
    const noAnswer = { headers: {}, body: Buffer.alloc(0) };
    if (end.kind === 'gone' || end.kind === 'stalled') {
      const mayHaveLeft = end.kind === 'stalled' || (end.isLost && expected.taken() > 0);
      if (mayHaveLeft && expected.isAdded()) reservation.mayBeCharged = true;
      if (mayHaveLeft) await clock.sleep(lateAnswerMs, waiting);
      return undefined;
    }
    if (end.kind === 'failed') {
      const verdict = { kind: 'transient', reason: end.reason } as const;
      return { verdict, answer: { status: 0, ...noAnswer }, durationMs: 0 };
    }
    const { result } = end;
    if (result.kind === 'unwanted') {
      // A process that took the job before Redis restarted may have sent the call.
      if (expected.isAdded() && expected.taken() > 1) reservation.mayBeCharged = true;
      // Find out whether all runs must stop or Redis was restarted.
      await retryRedis(heartbeat.beat, retryOptions, waiting);
      return undefined;
    }
    const isOwn = result.run === heartbeat.id;
    if (isOwn && result.mayBeCharged) reservation.mayBeCharged = true;
    if (result.kind === 'unanswered') {
      const { verdict, status, durationMs, endedAt } = result;
      return { verdict, answer: { status, ...noAnswer }, durationMs, fetchedAt: endedAt };
    }
    const answer = end.answer ?? (await fetchAnswer(expected.name, reservation, signal));
    return answer && take(answer, reservation, isOwn);
  };
  /** A stop waits for a paid answer, but not for an absent Redis. */
  const fetchAnswer = async (name: string, reservation: Reservation, signal: AbortSignal) => {
    const stopping = runStop.or(signal);
    const look = (until: AbortSignal) => retryRedis(() => answers.look(name), retryOptions, until);
    try {
      return await look(stopping);
    } catch (error) {
      if (!stopping.aborted) throw error;
    }
    try {
      return await look(AbortSignal.any([signal, AbortSignal.timeout(graceMs)]));
    } catch {
      throw reservation.mayBeCharged ? new UnansweredError(stopping.reason) : stopping.reason;
    }
  };
  const attempt = async (call: CallRequest, reservation: Reservation, signal: AbortSignal) => {
    const waiting = runStop.or(signal);
    for (;;) {
      waiting.throwIfAborted();
      const answer = await lookAt(call, waiting);
      if (answer) return take(answer, reservation);
      if (reservation.mayBeCharged) await reserveAgain(budget, call, reservation);
      const expected = calls.expect(call);
      try {
        const end = await untilEnd(call, expected, signal);
        if (!end) {
          // The call may have been sent. The next start may find its answer in Redis.
          reservation.mayBeCharged = true;
          throw new UnansweredError(waiting.reason);
        }
        const made = await attemptOf(end, expected, reservation, signal);
        if (made) return made;
      } finally {
        expected.forget();
      }
    }
  };
  return async (call, reservation, signal) => {
    const made = await attempt(call, reservation, signal);
    heartbeat.noteAttempt(made);
    const { verdict, answer, durationMs, isReused } = made;
    const { operation } = call;
    const status = answer.status === 0 ? {} : { status: answer.status };
    if (!isReused) {
      onEvent({ type: 'attempt.made', operation, ...status, verdict: verdict.kind, durationMs });
    }
    return made;
  };
}

async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  await withTimeout(work, ms).catch(() => {});
}
