import { hostname } from 'node:os';
import { type Job, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { parseCall } from '../../core/contract/call.ts';
import { CallRequest, noBudget } from '../../engine/client/call-request.ts';
import { type Attempt, makeAttempt } from '../../engine/client/make-attempt.ts';
import type { ClientParts } from '../../engine/client/open-client.ts';
import { withTimeout } from '../../platform/retry.ts';
import { type Heartbeat, lockMs } from './heartbeat.ts';
import {
  defineScript,
  luaNow,
  luaRedisRunId,
  type RedisRetryOptions,
  retryRedis,
  type ShareKeys,
} from './redis.ts';
import type { AnswerStore, SharedAnswer } from './shared-answers.ts';
import {
  type CallJobResult,
  type CallMessage,
  queueName,
  type SharedCalls,
} from './shared-calls.ts';

export interface ShareParts extends ClientParts {
  readonly answers: AnswerStore;
  readonly heartbeat: Heartbeat;
  readonly retryOptions: RedisRetryOptions;
}

interface MakingParts extends ShareParts {
  readonly redis: Redis;
  readonly keys: ShareKeys;
  readonly concurrency: number;
  readonly maxBytes: number;
  readonly deliver: SharedCalls['end'];
  readonly onError: (error: Error) => void;
}

/** How often a waiting call checks whether a run still needs it. */
const wantedCheckMs = 1_000;
const staleMs = 1_500;
const roomMs = 1_000;
/** Redis keeps personal data only as long as runs need it. */
const keepMs = { company: 24 * 3_600_000, people: 3_600_000 };
const settleMs = 100;
const noRoomText =
  'answers that no run has stored yet have filled their 256 MB in Redis: calls wait until there is room';

/** KEYS: present, stop, answer, sizes, kept, rate. */
const beginCall = defineScript<'go' | 'closed' | 'unwanted' | 'answered' | 'full'>(`
${luaNow}${luaRedisRunId}
local run, wantedRunId, askedAt, freshHit, freshMiss, maxBytes = unpack(ARGV)
local kind, at = unpack(redis.call('HMGET', KEYS[3], 'kind', 'at'))
if kind and tonumber(at) >= tonumber(kind == 'hit' and freshHit or freshMiss) then return 'answered' end
if wantedRunId ~= redisRunId then return 'unwanted' end
if tonumber(redis.call('ZSCORE', KEYS[1], run) or 0) < now then return 'unwanted' end
if tonumber(redis.call('HGET', KEYS[2], 'at') or 0) > tonumber(askedAt) then return 'unwanted' end
local bytes = tonumber(redis.call('HGET', KEYS[4], 'all') or 0)
if bytes > tonumber(maxBytes) and redis.call('ZCOUNT', KEYS[5], '-inf', now) == 0 then return 'full' end
local closedUntil = string.match(redis.call('HGET', KEYS[6], 'state') or '', '"closedUntilMs":([%d.]+)')
if tonumber(closedUntil or 0) > now then return 'closed' end
return 'go'
`);

export function openCallMaker(parts: MakingParts) {
  const making = new Map<string, Promise<CallJobResult>>();
  const wire = new AbortController();
  const worker = new Worker<CallMessage, CallJobResult>(
    queueName,
    async (job, token = '') => {
      const name = job.id ?? '';
      // If this job's lock expired while Redis was away, its first request may still be in flight.
      await making.get(name)?.catch(() => {});
      const made = makeCall(parts, job, token, wire.signal);
      making.set(name, made);
      return await made.finally(() => making.delete(name));
    },
    {
      connection: parts.redis,
      prefix: parts.keys.prefix,
      name: `${hostname()}:${process.pid}`,
      concurrency: parts.concurrency,
      lockDuration: lockMs,
      stalledInterval: lockMs / 4,
      // Only the run can reserve another request, so the run retries.
      maxStalledCount: 0,
      runRetryDelay: 1_000,
      drainDelay: 1,
    },
  );
  worker.on('error', parts.onError);
  parts.runStop.signal.addEventListener('abort', () => void worker.pause(true).catch(() => {}));
  return {
    ready: worker.waitUntilReady(),
    making: (name: string) => making.get(name),
    async close(waitMs: number) {
      const late = setTimeout(() => wire.abort(parts.runStop.signal.reason), waitMs);
      // The wait is limited: a call that waits for an absent Redis would keep the process alive.
      const settling = Promise.allSettled(making.values());
      const isSettled = await withTimeout(settling, waitMs + settleMs).then(
        () => true,
        () => false,
      );
      clearTimeout(late);
      await worker.close(!isSettled || parts.heartbeat.awaySinceMs() !== undefined);
    },
  };
}

async function makeCall(
  parts: MakingParts,
  job: Job<CallMessage, CallJobResult>,
  token: string,
  signal: AbortSignal,
): Promise<CallJobResult> {
  const { redis, keys, runStop, clock, permits, retryOptions } = parts;
  const { data: message, id: name = '' } = job;
  const { run, redisRunId, askedAt, freshFrom } = message;
  const stopping = runStop.or(signal);
  const notNow = new AbortController();
  let ended: CallJobResult | undefined;
  let checkedAtMs = clock.monotonicMs();

  const begin = () =>
    beginCall(
      redis,
      [keys.present, keys.stop, keys.answer(name), keys.sizes, keys.kept, keys.rate],
      [run, redisRunId, askedAt, freshFrom.hit, freshFrom.miss, parts.maxBytes],
    );
  const note = (beginning: Awaited<ReturnType<typeof begin>>) => {
    checkedAtMs = clock.monotonicMs();
    if (beginning === 'unwanted') ended = { kind: beginning };
    if (beginning === 'answered') ended = { kind: beginning, run, mayBeCharged: false };
    return beginning;
  };
  const check = async () => {
    const [beginning, isLocked] = await Promise.all([begin(), job.extendLock(token, lockMs)]);
    note(beginning);
    if (isLocked !== 1) notNow.abort(new Error('another process has taken the call'));
    else if (ended) notNow.abort(new Error('no run is waiting for the call'));
  };
  const timer = setInterval(() => void check().catch(() => {}), wantedCheckMs);
  timer.unref();
  try {
    const tryBegin = async () => note(await retryRedis(begin, retryOptions, stopping));
    let beginning = await tryBegin();
    for (; beginning === 'full'; beginning = await tryBegin()) {
      parts.onError(new Error(noRoomText));
      await parts.answers.evict();
      await clock.sleep(roomMs, stopping);
    }
    if (ended) return ended;
    // Without a rate limit, a call takes no slot in Redis and would miss a wait that the service
    // requested. So read that wait from Redis now.
    if (beginning === 'closed') await permits.beat();
    // The run that offered the call has already reserved one request.
    const request = new CallRequest(parseCall(message.call), noBudget);
    const waiting = AbortSignal.any([stopping, notNow.signal]);
    const attempt = await makeAttempt(
      {
        ...parts,
        timeoutMs: message.timeoutMs,
        breaker: { ...parts.breaker, hasEverFound: message.isProven },
        permits: {
          ...permits,
          async take(until) {
            const permit = await permits.take(until);
            if (clock.monotonicMs() - checkedAtMs > staleMs) await check();
            return permit;
          },
        },
        // Cancels only an unsent request.
        runStop: { ...runStop, or: () => waiting },
      },
      request,
      signal,
    );
    clearInterval(timer);
    return await deliverResult(parts, job, attempt, request.mayBeCharged, signal);
  } catch (error) {
    if (ended) return ended;
    if (!stopping.aborted) throw error;
    // This run is stopping, so another process makes the call.
    parts.deliver(name, { kind: 'gone', isLost: false });
    await job.moveToWait(token);
    throw new WaitingError();
  } finally {
    clearInterval(timer);
  }
}

async function deliverResult(
  { answers, deliver, heartbeat, maxBytes, retryOptions, throttle }: MakingParts,
  { id: name = '', data: { run, call } }: Job<CallMessage, CallJobResult>,
  { verdict, response: { status, body }, durationMs }: Attempt,
  mayBeCharged: boolean,
  signal: AbortSignal,
): Promise<CallJobResult> {
  const endedAt = Math.floor(heartbeat.nowMs());
  if (verdict.kind !== 'hit' && verdict.kind !== 'miss' && verdict.kind !== 'unreadable') {
    const about = { run, mayBeCharged, status, durationMs, endedAt };
    const result = { kind: 'unanswered', verdict, ...about } as const;
    deliver(name, { kind: 'result', result });
    return result;
  }
  throttle.noteAnswer();
  const answer: SharedAnswer = {
    kind: verdict.kind,
    status,
    body,
    companyId: 'companyId' in verdict ? verdict.companyId : undefined,
    durationMs,
    paidBy: mayBeCharged ? run : undefined,
    fetchedAt: endedAt,
  };
  const result = { kind: 'answered', run, mayBeCharged } as const;
  deliver(name, { kind: 'result', result, answer });
  // The answer is paid for, so keep trying until Redis has it.
  await retryRedis(
    () => answers.keep(name, answer, keepMs[parseCall(call).operation], maxBytes),
    retryOptions,
    signal,
  );
  return result;
}
