import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { DossierError, type ErrorCode } from '../../core/errors.ts';
import { formatDuration } from '../../core/values/duration.ts';
import type { Attempt } from '../../engine/client/make-attempt.ts';
import type { RunStop } from '../../engine/client/run-stop.ts';
import type { Clock } from '../../platform/clock.ts';
import { defineScript, luaNow, luaRedisRunId, type ShareKeys } from './redis.ts';
import { describeRedis, isFull } from './redis-errors.ts';

export interface RedisListener {
  onLost(since: Date): void;
  onBack(awaySince: Date): void;
  onError(message: string): void;
}

/** Set only by tests that kill processes. */
const lockVariable = 'DOSSIER_SHARE_LOCK_MS';
/** A BullMQ job whose process is silent for 20 s counts as stalled; its run then tries again. */
export const lockMs = Number(process.env[lockVariable] ?? 20_000);
/** After 15 s without a heartbeat, other processes drop this run's calls. */
const goneMs = (lockMs * 3) / 4;
const beatMs = 1_000;
/** Redis counts as away after this silence, because a hang does not close the connection. */
const silentMs = 5_000;
const cutMs = 15_000;
const reportAgainMs = 60_000;
/** A stop of all runs expires, because the quota may be topped up or the service back. */
const stopMs = 60_000;

const sharedStops: readonly ErrorCode[] = ['KEY_REFUSED', 'QUOTA_SPENT', 'SERVICE_DOWN'];
const answered = ['hit', 'miss', 'invalid', 'oversized', 'unreadable'];
const failed = ['transient', 'unusable', 'unproven'];

/** KEYS: present, stop. */
const beatOnce = defineScript<
  [
    nowMs: number,
    redisRunId: string,
    at?: string,
    code?: string,
    message?: string,
    machine?: string,
  ]
>(`
${luaNow}${luaRedisRunId}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return { now, redisRunId, unpack(redis.call('HMGET', KEYS[2], 'at', 'code', 'message', 'machine')) }
`);

/** KEYS: stop. */
const writeStop = defineScript<number>(`
${luaNow}
redis.call('HSET', KEYS[1], 'at', now, 'code', ARGV[1], 'message', ARGV[2], 'machine', ARGV[3])
return redis.call('PEXPIRE', KEYS[1], ${stopMs})
`);

/** BullMQ's messages for a job lost by Redis or taken by another process. */
const ofLostJob =
  /^((missing (key|lock)|lock mismatch|could not renew lock) for job|job \S+ is not in the \w+ state)/i;
const lostJobsText = 'Redis lost calls that this run was making; these calls may be made again';
const fullText = 'the memory of Redis is full (maxmemory): calls wait until there is room';

/** Tells Redis that this run is alive, and hears from there what stops all runs. */
export interface Heartbeat extends Disposable {
  readonly id: string;
  beat(): Promise<void>;
  /** Undefined if Redis answers. */
  awaySinceMs(): number | undefined;
  /** Changes when Redis restarts. */
  redisRunId(): string;
  /** By the clock of Redis. */
  nowMs(): number;
  /** Other processes have dropped the calls of this run. */
  isMissed(): boolean;
  noteError(error: Error): void;
  noteAttempt(attempt: Pick<Attempt, 'verdict' | 'fetchedAt'>): void;
  /** Tells other runs why this one stopped, if that concerns them. */
  leave(error: unknown): Promise<void>;
}

interface HeartbeatOptions {
  readonly address: URL;
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly runStop: RunStop;
  readonly listener: RedisListener;
  readonly onBeat?: () => void;
}

export function openHeartbeat(redis: Redis, keys: ShareKeys, options: HeartbeatOptions): Heartbeat {
  const { address, clock, maxWaitMs, runStop, listener } = options;
  const id = `run-${randomBytes(9).toString('base64url')}`;
  let redisRunId = '';
  let offsetMs = 0;
  let startedAt: number | undefined;
  let heardAtMs = clock.monotonicMs();
  let lostAtMs: number | undefined;
  let awaySince: Date | undefined;
  let isBeating = false;
  let hasLeft = false;
  let heardStop: DossierError | undefined;
  const own = createEvidence();
  const report = createReports(listener);

  const beat = async () => {
    if (hasLeft) return;
    const [redisMs, runId, at, code, message, machine] = await beatOnce(
      redis,
      [keys.present, keys.stop],
      [id, goneMs],
    );
    redisRunId = runId;
    offsetMs = redisMs - clock.monotonicMs();
    startedAt ??= redisMs;
    heardAtMs = clock.monotonicMs();
    lostAtMs = undefined;
    options.onBeat?.();
    const stop = sharedStops.find((one) => one === code);
    if (!stop || Number(at) <= startedAt || !own.agreesWith(stop, Number(at))) return;
    const text = `${message} (reported by a run on ${machine} with the same key)`;
    heardStop ??= new DossierError(stop, text);
    runStop.stop(heardStop);
  };
  const awaySinceMs = () =>
    lostAtMs ?? (clock.monotonicMs() - heardAtMs > silentMs ? heardAtMs : undefined);

  const look = () => {
    const sinceMs = awaySinceMs();
    if ((sinceMs !== undefined) !== (awaySince !== undefined)) {
      if (awaySince) listener.onBack(awaySince);
      awaySince = sinceMs === undefined ? undefined : new Date();
      if (awaySince) listener.onLost(awaySince);
    }
    const awayMs = clock.monotonicMs() - (sinceMs ?? Number.POSITIVE_INFINITY);
    if (awayMs <= maxWaitMs) return;
    const most = `the job waits ${formatDuration(maxWaitMs)} at most`;
    const text = `${describeRedis(address)} has been unavailable or full for ${formatDuration(awayMs)}; ${most}`;
    runStop.stop(new DossierError('SHARE_DOWN', text));
  };
  const beatAgain = async () => {
    look();
    if (isBeating) {
      const isCut = clock.monotonicMs() - heardAtMs > cutMs && redis.status === 'ready';
      if (isCut) redis.disconnect(true);
      return;
    }
    isBeating = true;
    try {
      await beat();
    } catch {
      lostAtMs ??= clock.monotonicMs();
    } finally {
      isBeating = false;
    }
  };
  redis.on('close', () => {
    lostAtMs ??= clock.monotonicMs();
  });
  redis.on('ready', () => void beat().catch(() => {}));
  const timer = setInterval(() => void beatAgain(), beatMs);
  timer.unref();

  return {
    id,
    beat,
    awaySinceMs,
    redisRunId: () => redisRunId,
    nowMs: () => clock.monotonicMs() + offsetMs,
    isMissed: () =>
      clock.monotonicMs() - (awaySinceMs() ?? Number.POSITIVE_INFINITY) > goneMs + silentMs,
    noteError(error) {
      // First report that Redis is away or back, then the error.
      look();
      report(error);
    },
    noteAttempt: own.note,
    async leave(error) {
      hasLeft = true;
      await redis.zrem(keys.present, id);
      if (!(error instanceof DossierError) || !sharedStops.includes(error.code)) return;
      // Repeating a received stop would end runs started after it.
      if (error === heardStop) return;
      await writeStop(redis, [keys.stop], [error.code, error.message, hostname()]);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** What this run's own calls say about the service. */
function createEvidence() {
  let lastAnswerAt = 0;
  let lastFailureAt = 0;
  return {
    note({ verdict: { kind }, fetchedAt = 0 }: Pick<Attempt, 'verdict' | 'fetchedAt'>) {
      if (answered.includes(kind)) lastAnswerAt = Math.max(lastAnswerAt, fetchedAt);
      if (failed.includes(kind)) lastFailureAt = Math.max(lastFailureAt, fetchedAt);
    },
    /**
     * Another run may mistake a few failing rows for a service that is down. A run with answers
     * ignores that stop until its own calls fail.
     */
    agreesWith(code: ErrorCode, stoppedAt: number) {
      if (code !== 'SERVICE_DOWN' || lastAnswerAt === 0) return true;
      return lastFailureAt > stoppedAt && lastAnswerAt <= stoppedAt;
    },
  };
}

/** The same error comes with each call, and is reported once a minute. */
function createReports(listener: RedisListener) {
  const reportedAtMs = new Map<string, number>();
  return (error: Error) => {
    const isLostJob = ofLostJob.test(error.message);
    const text = isFull(error) ? fullText : isLostJob ? lostJobsText : error.message;
    const now = performance.now();
    if (now - (reportedAtMs.get(text) ?? Number.NEGATIVE_INFINITY) < reportAgainMs) return;
    reportedAtMs.set(text, now);
    listener.onError(text);
  };
}
