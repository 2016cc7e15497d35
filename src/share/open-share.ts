import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Allowed } from '../client/rate/adapt-rate.ts';
import { ceilingOf } from '../client/rate/permits.ts';
import { openSharedPlaces, type SharedPlaces } from '../client/rate/shared-places.ts';
import { openStartCount, type StartCount } from '../client/rate/start-count.ts';
import type { Clock } from '../runtime/clock.ts';
import { openShareAnswers, type ShareAnswers } from './answers/share-answers.ts';
import { largestMessageBytes } from './messages/call-message.ts';
import { openPulse, type SharePulse } from './open-pulse.ts';
import { enter, type Presence } from './presence/presence.ts';
import { openRedisRate, type RedisRate } from './rate/redis-rate.ts';
import { openRedisWindow, type RedisWindow } from './rate/redis-window.ts';
import { inTime } from './redis/in-time.ts';
import { makingRoom } from './redis/making-room.ts';
import { openRedis } from './redis/open-redis.ts';
import type { Patience } from './redis/patiently.ts';
import { judgeEviction, judgeVersion, type RedisFacts, readFacts } from './redis/redis-facts.ts';
import { watchServer } from './redis/redis-server.ts';
import { openRedisClock, type RedisClock } from './redis/redis-time.ts';
import { type ShareKeys, shareKeys } from './redis/share-keys.ts';

export interface OpenShareOptions {
  /** Address of Redis; a secret. */
  readonly address: URL;
  /** Address of the service, and its key: together they name what is shared. */
  readonly service: string;
  readonly key: string;
  /** Requests a second that this run or worker allows, and all others with it. */
  readonly rate: number | 'none';
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly onAllowed: (allowed: Allowed) => void;
}

/** What runs and workers of one service and key share, seen from one of them. */
export interface Share
  extends AsyncDisposable,
    Pick<RedisClock, 'nowMs'>,
    Pick<SharePulse, 'awaySinceMs' | 'isMissed' | 'pulse' | 'onPulse'> {
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
}

/** The name of the queue within the prefix. */
export const queueName = 'calls';

/** Connects to Redis and enters the list of those who share. Throws a sentence where it cannot. */
export async function openShare(options: OpenShareOptions): Promise<Share> {
  const { address } = options;
  const redis = await openRedis({ address, name: 'dossier-run' });
  return await inTime(redis, address, join(redis, options));
}

async function join(redis: Redis, options: OpenShareOptions): Promise<Share> {
  const { rate: ownRate, maxWaitMs, clock, onAllowed } = options;
  const keys = shareKeys(options.service, options.key);
  refuseUnfit(await readFacts(redis));
  const window = openRedisWindow(redis, keys, watchServer(redis));
  const redisClock = await openRedisClock(redis, clock);
  const { nowMs } = redisClock;
  const answers = openShareAnswers(redis, keys);
  const queue = openQueue(redis, keys);
  const rate = openRedisRate(redis, keys.rate, nowMs);
  const [version, memory] = await redis.hmget(keys.rate, 'version', 'memory');
  rate.see(Number(version ?? 0), memory ?? '');
  const starts = openStartCount(clock);
  const places = openSharedPlaces({
    ...{ shared: rate, ceiling: ceilingOf(ownRate), clock, maxWaitMs, onAllowed },
    startedFreely: starts.perSecond,
  });
  const presence = await makingRoom(() => enter(redis, keys), answers.relieve);
  const pulse = openPulse({
    ...{ redis, keys, clock, redisClock, queue, presence, rate, places, window },
  });
  await makingRoom(pulse.pulse, answers.relieve);

  return {
    ...{ redis, keys, queue, answers, presence, rate, places, window, starts, nowMs },
    patience: { clock, relieve: answers.relieve },
    awaySinceMs: pulse.awaySinceMs,
    isMissed: pulse.isMissed,
    pulse: pulse.pulse,
    onPulse: pulse.onPulse,
    async [Symbol.asyncDispose]() {
      pulse[Symbol.dispose]();
      if (redis.status === 'ready') {
        places[Symbol.dispose]();
        await presence.leave().catch(() => {});
      }
      await queue.close().catch(() => {});
      redis.disconnect();
    },
  };
}

function openQueue(redis: Redis, { prefix }: ShareKeys): Queue {
  const queue = new Queue(queueName, {
    ...{ connection: redis, prefix },
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
  return queue;
}

/** A Redis that is too old or evicts keys would lose calls that runs wait for. */
function refuseUnfit(facts: RedisFacts): void {
  judgeVersion(facts);
  judgeEviction(facts);
}
