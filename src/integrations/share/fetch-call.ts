import type { Call } from '../../core/contract/call.ts';
import { UnansweredError } from '../../core/errors.ts';
import { type ReuseTerms, shelfLifeMs } from '../../core/rules/reuse.ts';
import type { CallRequest } from '../../engine/client/call-request.ts';
import type { Attempt } from '../../engine/client/make-attempt.ts';
import { withTimeout } from '../../platform/retry.ts';
import type { openCallMaker, ShareParts } from './make-calls.ts';
import { retryRedis } from './redis.ts';
import type { SharedAnswer } from './shared-answers.ts';
import { type CallEnd, callName, type ExpectedCall, type SharedCalls } from './shared-calls.ts';

interface FetchParts extends ShareParts {
  readonly calls: SharedCalls;
  readonly maker: ReturnType<typeof openCallMaker>;
  readonly reuse: ReuseTerms;
  readonly startedAt: number;
}

export const graceMs = 2_000;
/** Waits this long, because a process presumed dead may still store its answer. */
const lateAnswerMs = 1_000;
const noResponse = { status: 0, headers: {}, body: Buffer.alloc(0) };

/** Takes an answer that Redis has, or offers the call until a process has made it. */
export async function fetchCall(
  parts: FetchParts,
  request: CallRequest,
  signal: AbortSignal,
): Promise<Attempt> {
  const { answers, calls, retryOptions } = parts;
  const { call } = request;
  const stopOrAbort = parts.runStop.or(signal);
  for (;;) {
    stopOrAbort.throwIfAborted();
    const answer = await retryRedis(() => answers.look(callName(call)), retryOptions, stopOrAbort);
    if (answer && answer.fetchedAt >= freshFrom(parts, call)[answer.kind]) {
      return asAttempt(parts, request, answer);
    }
    if (request.mayBeCharged) await request.reserve();
    using expected = calls.expect(call);
    const end = await untilEnd(parts, expected, request, signal);
    const made = await attemptOf(parts, request, end, expected, signal);
    if (made) return made;
  }
}

function freshFrom({ reuse, startedAt, heartbeat }: FetchParts, { operation }: Call) {
  const from = (kind: 'hit' | 'miss') => {
    const lifeMs = shelfLifeMs(reuse, kind, operation) * (1 - reuse.spread);
    return Math.min(startedAt, heartbeat.nowMs() - lifeMs);
  };
  const miss = from('miss');
  return { hit: from('hit'), miss, unreadable: miss };
}

function asAttempt(
  { heartbeat, provider }: FetchParts,
  request: CallRequest,
  { kind, status, body, companyId, durationMs, fetchedAt, paidBy }: SharedAnswer,
  isOfOwnJob = false,
): Attempt {
  const { call } = request;
  const isPaid = paidBy === heartbeat.id;
  if (isPaid) request.state = 'sent';
  const response = { ...noResponse, status, body };
  return {
    verdict:
      kind === 'unreadable' || call.operation === 'people'
        ? // Another run may have newer rules, and only the body says how many people it has.
          provider.judge(call, response, true)
        : kind === 'hit' && companyId !== undefined
          ? { kind, companyId }
          : { kind },
    response,
    durationMs,
    fetchedAt,
    ...(!isOfOwnJob && !isPaid && { isFetchedElsewhere: true }),
  };
}

/** Offers the call to all processes. Throws if the run stops before the call ends. */
async function untilEnd(
  parts: FetchParts,
  expected: ExpectedCall,
  request: CallRequest,
  signal: AbortSignal,
): Promise<CallEnd> {
  const { heartbeat, maker, timeoutMs, breaker } = parts;
  const stopOrAbort = parts.runStop.or(signal);
  const add = () =>
    expected.add({
      run: heartbeat.id,
      redisRunId: heartbeat.redisRunId(),
      askedAt: Math.floor(heartbeat.nowMs()),
      freshFrom: freshFrom(parts, expected.call),
      timeoutMs,
      isProven: breaker.hasEverFound,
    });
  try {
    await retryRedis(add, parts.retryOptions, stopOrAbort);
    return await withTimeout(expected.end, stopOrAbort);
  } catch (error) {
    if (!stopOrAbort.aborted) throw error;
  }
  const isAway = heartbeat.awaySinceMs() !== undefined;
  // Until this run's heartbeat expires, another run may still send the call.
  const mayBeSentLater = isAway && !heartbeat.isMissed();
  const ownMs = maker.making(expected.name) ? timeoutMs : 0;
  const lateMs = isAway ? ownMs : await takeBack(parts, expected);
  try {
    const late = AbortSignal.timeout(lateMs);
    return await withTimeout(expected.end, AbortSignal.any([signal, late]));
  } catch {
    if (expected.taken === 0 && !mayBeSentLater) throw stopOrAbort.reason;
    // The call may have been sent. The next start may find its answer in Redis.
    request.state = 'sent';
    throw new UnansweredError(stopOrAbort.reason);
  }
}

/** Returns the time to wait for the end of the call, which another process may be making. */
async function takeBack({ heartbeat, timeoutMs }: FetchParts, expected: ExpectedCall) {
  try {
    await withTimeout(expected.takeBack(heartbeat.id), graceMs);
    return graceMs;
  } catch {
    return timeoutMs + graceMs;
  }
}

/** Returns undefined if the call must be offered again. */
async function attemptOf(
  parts: FetchParts,
  request: CallRequest,
  end: CallEnd,
  expected: ExpectedCall,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const { clock, heartbeat } = parts;
  const stopOrAbort = parts.runStop.or(signal);
  if (end.kind === 'gone' || end.kind === 'stalled') {
    const mayHaveLeft = end.kind === 'stalled' || (end.isLost && expected.taken > 0);
    if (mayHaveLeft && expected.isAdded) request.state = 'sent';
    if (mayHaveLeft) await clock.sleep(lateAnswerMs, stopOrAbort);
    return undefined;
  }
  if (end.kind === 'failed') {
    const { reason } = end;
    return { verdict: { kind: 'transient', reason }, response: noResponse, durationMs: 0 };
  }
  const { result } = end;
  if (result.kind === 'unwanted') {
    // A process that took this call from the queue before Redis restarted may have sent it.
    if (expected.isAdded && expected.taken > 1) request.state = 'sent';
    // Find out whether all runs must stop or Redis was restarted.
    await retryRedis(heartbeat.beat, parts.retryOptions, stopOrAbort);
    return undefined;
  }
  const isOfThisRun = result.run === heartbeat.id;
  if (isOfThisRun && result.mayBeCharged) request.state = 'sent';
  if (result.kind === 'unanswered') {
    const { verdict, status, durationMs, endedAt } = result;
    return { verdict, response: { ...noResponse, status }, durationMs, fetchedAt: endedAt };
  }
  const answer = end.answer ?? (await fetchAnswer(parts, expected.name, request, signal));
  return answer && asAttempt(parts, request, answer, isOfThisRun);
}

/** A stop waits for a paid answer, but not for an absent Redis. */
async function fetchAnswer(
  { answers, retryOptions, runStop }: FetchParts,
  name: string,
  request: CallRequest,
  signal: AbortSignal,
) {
  const stopOrAbort = runStop.or(signal);
  const look = (until: AbortSignal) => retryRedis(() => answers.look(name), retryOptions, until);
  try {
    return await look(stopOrAbort);
  } catch (error) {
    if (!stopOrAbort.aborted) throw error;
  }
  try {
    return await look(AbortSignal.any([signal, AbortSignal.timeout(graceMs)]));
  } catch {
    throw request.mayBeCharged ? new UnansweredError(stopOrAbort.reason) : stopOrAbort.reason;
  }
}
