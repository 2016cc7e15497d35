import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Allowed } from '../client/rate/adapt-rate.ts';
import { ceilingOf, turnOf } from '../client/rate/permits.ts';
import { openSharedPlaces, type SharedPlaces } from '../client/rate/shared-places.ts';
import { openStartCount, type StartCount } from '../client/rate/start-count.ts';
import type { Clock } from '../runtime/clock.ts';
import { openShareAnswers, type ShareAnswers } from './answers/share-answers.ts';
import { largestMessageBytes } from './messages/call-message.ts';
import { enter, type OwnFacts, type Presence } from './presence/presence.ts';
import { openRedisRate, type RedisRate } from './rate/redis-rate.ts';
import { openRedisWindow, type RedisWindow } from './rate/redis-window.ts';
import { inTime } from './redis/in-time.ts';
import { openRedis } from './redis/open-redis.ts';
import type { Patience } from './redis/patiently.ts';
import { judgeEviction, judgeVersion, type RedisFacts, readFacts } from './redis/redis-facts.ts';
import { redisTime } from './redis/redis-time.ts';
import { type ShareKeys, shareKeys } from './redis/share-keys.ts';
import { type AnnouncedStop, readStop } from './stop/announced-stop.ts';

export interface OpenShareOptions {
  /** Address of Redis; a secret. */
  readonly address: URL;
  /** Address of the service, and its key: together they name what is shared. */
  readonly service: string;
  readonly key: string;
  /** Requests a second that this run or worker allows, and all others with it. */
  readonly rate: number | 'none';
  readonly maxWaitMs: number;
  readonly facts: OwnFacts;
  readonly clock: Clock;
  readonly onAllowed: (allowed: Allowed) => void;
}

/** What Redis says once a second. */
export interface Pulse {
  /** How long no request may leave, since the service has throttled one. */
  readonly closedMs: number;
  /** A stop of all runs that was announced after this one began; undefined for none. */
  readonly stop: AnnouncedStop | undefined;
}

/** What runs and workers of one service and key share, seen from one of them. */
export interface Share extends AsyncDisposable {
  readonly redis: Redis;
  readonly keys: ShareKeys;
  readonly queue: Queue;
  readonly answers: ShareAnswers;
  readonly patience: Patience;
  readonly presence: Presence;
  readonly rate: RedisRate;
  readonly places: SharedPlaces;
  readonly window: RedisWindow;
  /** Requests of this process that needed no place, as there was no rate. */
  readonly starts: StartCount;
  /** By the clock of Redis. */
  nowMs(): number;
  /** Since when Redis has been away or unwilling; undefined where it is not. */
  awaySinceMs(): number | undefined;
  /** Tells and hears at once what is told and heard once a second. */
  pulse(): Promise<Pulse>;
  /** Hears each pulse. */
  onPulse(listener: (pulse: Pulse) => void): void;
}

const pulseMs = 1_000;
/** Redis hangs, or the network is cut: neither ends a connection. */
const silentMs = 5_000;
/** After so long without a word another connection is tried. */
const cutMs = 15_000;
/** A limiter has to be set, or the queue could not be held back at a throttle. */
const unpaced = { max: 1_000_000, durationMs: 1_000 };

/** The name of the queue within the prefix. */
export const queueName = 'calls';

/** Connects to Redis and enters the list of those who share. Throws a sentence where it cannot. */
export async function openShare(options: OpenShareOptions): Promise<Share> {
  const { address, facts } = options;
  const redis = await openRedis({ address, name: `dossier-${facts.kind}` });
  return await inTime(redis, address, enterShare(redis, options));
}

async function enterShare(redis: Redis, options: OpenShareOptions): Promise<Share> {
  const { service, key, rate, clock, facts } = options;
  const keys = shareKeys(service, key);
  refuseUnfit(await readFacts(redis));
  let server = readServer(redis);
  server.catch(() => {});
  let awaySinceMs: number | undefined;
  let heardAtMs = clock.monotonicMs();
  redis.on('close', () => {
    awaySinceMs ??= clock.monotonicMs();
  });
  redis.on('ready', () => {
    // Another Redis may be there now, or the same after a restart.
    server = readServer(redis);
    server.catch(() => {});
    void pulse().catch(() => {});
  });

  const queue = new Queue(queueName, {
    connection: redis,
    prefix: keys.prefix,
    defaultJobOptions: {
      attempts: 1,
      // Whoever still waits for one hears of it within seconds; answers lie elsewhere.
      removeOnComplete: { age: 300, count: 1_000 },
      removeOnFail: { age: 300, count: 1_000 },
      sizeLimit: largestMessageBytes,
    },
  });
  // The connection is watched where it is opened; a command that fails throws.
  queue.on('error', () => {});
  const startedAt = await redisTime(redis);
  let offsetMs = startedAt - clock.monotonicMs();
  const nowMs = () => clock.monotonicMs() + offsetMs;
  const answers = openShareAnswers(redis, keys);
  const presence = await enter(redis, keys, facts);
  const redisRate = openRedisRate(redis, keys.rate, nowMs);
  const [version, memory] = await redis.hmget(keys.rate, 'version', 'memory');
  redisRate.see(Number(version ?? 0), memory ?? '');
  const starts = openStartCount(clock);
  const places = openSharedPlaces({
    shared: redisRate,
    ceiling: ceilingOf(rate),
    clock,
    maxWaitMs: options.maxWaitMs,
    startedFreely: starts.perSecond,
    onAllowed: options.onAllowed,
  });
  const listeners: ((pulse: Pulse) => void)[] = [];
  const pulse = async (): Promise<Pulse> => {
    const redisMs = await redisTime(redis);
    offsetMs = redisMs - clock.monotonicMs();
    await presence.renew();
    const [newVersion, newMemory, closedUntil] = await redis.hmget(
      ...([keys.rate, 'version', 'memory', 'closedUntil'] as const),
    );
    redisRate.see(Number(newVersion ?? 0), newMemory ?? '');
    // Tells the others of this one's ceiling, and lets the rate recover.
    places.take(0);
    const { max, durationMs } = paceOf(places.allowed());
    await queue.setGlobalRateLimit(max, durationMs);
    const stop = await readStop(redis, keys);
    awaySinceMs = undefined;
    heardAtMs = clock.monotonicMs();
    const told: Pulse = {
      closedMs: Math.max(0, Number(closedUntil ?? 0) - redisMs),
      stop: stop && stop.atMs > startedAt ? stop : undefined,
    };
    for (const listener of listeners) listener(told);
    return told;
  };
  await pulse();
  let isPulsing = false;
  const pulseAgain = async () => {
    if (isPulsing) {
      const isCut = clock.monotonicMs() - heardAtMs > cutMs && redis.status === 'ready';
      if (isCut) redis.disconnect(true);
      return;
    }
    isPulsing = true;
    try {
      await pulse();
    } catch {
      awaySinceMs ??= clock.monotonicMs();
    } finally {
      isPulsing = false;
    }
  };
  const timer = setInterval(() => void pulseAgain(), pulseMs);
  timer.unref();

  return {
    ...{ redis, keys, queue, presence, places, starts, nowMs, pulse },
    rate: redisRate,
    answers,
    patience: { clock, relieve: answers.relieve },
    window: openRedisWindow(redis, keys, () => server),
    awaySinceMs() {
      const isSilent = clock.monotonicMs() - heardAtMs > silentMs;
      return awaySinceMs ?? (isSilent ? heardAtMs : undefined);
    },
    onPulse: (listener) => listeners.push(listener),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      if (redis.status === 'ready') {
        places[Symbol.dispose]();
        await presence.leave().catch(() => {});
      }
      await queue.close().catch(() => {});
      redis.disconnect();
    },
  };
}

/** How BullMQ spreads jobs over the second: in the turns of a single machine. The window keeps the rate. */
function paceOf(allowed: Allowed): { max: number; durationMs: number } {
  if (allowed.perSecond === Number.POSITIVE_INFINITY) return unpaced;
  const { permits, intervalMs } = turnOf(allowed);
  return { max: permits, durationMs: Math.max(1, Math.floor(intervalMs)) };
}

/** A Redis that is too old or evicts keys would lose calls that runs wait for. */
function refuseUnfit(facts: RedisFacts): void {
  judgeVersion(facts);
  judgeEviction(facts);
}

/** Names the Redis that is running: another one after each restart. */
async function readServer(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}
