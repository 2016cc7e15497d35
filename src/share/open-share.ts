import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { openPermits, type Permits } from '../client/rate/permits.ts';
import type { Allowed, RateStore } from '../client/rate/rate-state.ts';
import type { Clock } from '../runtime/clock.ts';
import { openShareAnswers, type ShareAnswers } from './answers/share-answers.ts';
import { largestMessageBytes } from './messages/call-message.ts';
import { openPulse, type SharePulse } from './open-pulse.ts';
import { enter, type Presence } from './presence/presence.ts';
import { openRedisStore } from './rate/redis-store.ts';
import { inTime } from './redis/in-time.ts';
import { makingRoom } from './redis/making-room.ts';
import { openRedis } from './redis/open-redis.ts';
import type { Patience } from './redis/patiently.ts';
import { judgeEviction, judgeVersion, type RedisFacts, readFacts } from './redis/redis-facts.ts';
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
  /** The rate of the processes on the ledger, which may run without Redis. */
  readonly sharedRate?: RateStore | undefined;
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
  readonly permits: Permits;
  /** Called when a permit is wanted, but no request may leave for this time. */
  onClosed(listener: (waitMs: number) => void): void;
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
  const redisClock = await openRedisClock(redis, clock);
  const { nowMs } = redisClock;
  const answers = openShareAnswers(redis, keys);
  const queue = openQueue(redis, keys);
  const patience = { clock, relieve: answers.relieve };
  const closedListeners: ((waitMs: number) => void)[] = [];
  const store = openRedisStore(redis, keys.rate, patience);
  const permits = openPermits(ownRate, clock, {
    stores: options.sharedRate ? [options.sharedRate, store] : [store],
    maxWaitMs,
    onAllowed,
    onClosed(waitMs) {
      for (const listener of closedListeners) listener(waitMs);
    },
  });
  const presence = await makingRoom(() => enter(redis, keys), answers.relieve);
  const pulse = openPulse({
    ...{ redis, keys, clock, redisClock, queue, presence, permits },
  });
  await makingRoom(pulse.pulse, answers.relieve);

  return {
    ...{ redis, keys, queue, answers, presence, permits, nowMs, patience },
    onClosed: (listener) => void closedListeners.push(listener),
    awaySinceMs: pulse.awaySinceMs,
    isMissed: pulse.isMissed,
    pulse: pulse.pulse,
    onPulse: pulse.onPulse,
    async [Symbol.asyncDispose]() {
      pulse[Symbol.dispose]();
      permits[Symbol.dispose]();
      if (redis.status === 'ready') {
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
