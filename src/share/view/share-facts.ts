import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import {
  allowedRate,
  passTime,
  type RateReason,
  type Sender,
} from '../../client/rate/adapt-rate.ts';
import { parseMemory } from '../../client/rate/rate-memory.ts';
import { listPresent, type PresentMember } from '../presence/presence.ts';
import { redisTime } from '../redis/redis-time.ts';
import type { ShareKeys } from '../redis/share-keys.ts';
import { type AnnouncedStop, readStop } from '../stop/announced-stop.ts';

/** What runs and workers of one service and key share at one moment. */
export interface ShareFacts {
  /** By the clock of Redis. */
  readonly seenAt: number;
  /** Calls by how they stand; those that are delayed wait for a worker of their version, or for room. */
  readonly calls: { readonly waiting: number; readonly active: number; readonly delayed: number };
  /** Runs and workers, the oldest first. */
  readonly members: readonly PresentMember[];
  /** Members that make calls: workers, and runs that bring one. */
  readonly workers: number;
  readonly rate: RateFacts;
  /** No request leaves until then; undefined where requests may leave. */
  readonly throttledUntil: number | undefined;
  /** Why all runs were stopped a moment ago; undefined where they were not. */
  readonly stop: AnnouncedStop | undefined;
  readonly answers: { readonly count: number; readonly bytes: number };
}

export interface RateFacts {
  /** Requests a second that may leave; undefined where nothing limits them. */
  readonly allowed: number | undefined;
  /** Requests that left in the last second; undefined where nothing limits, so that nobody counts. */
  readonly used: number | undefined;
  /** What keeps the rate below what the runs ask for; undefined where nothing does. */
  readonly loweredBy: Exclude<RateReason, 'ceiling'> | undefined;
  /** The rates that runs and workers ask for, the lowest first; those that ask for none are left out. */
  readonly asked: readonly number[];
}

interface ShareToLookAt {
  readonly redis: Redis;
  readonly keys: ShareKeys;
  readonly queue: Pick<Queue, 'getJobCounts'>;
}

/** Looks, sends nothing and limits nobody. */
const onlooker: Sender = {
  id: 'onlooker',
  ceiling: Number.POSITIVE_INFINITY,
  passed: { average: 0, most: 0 },
};

/** Reads what is shared. Nothing is written by looking. */
export async function readShareFacts({ redis, keys, queue }: ShareToLookAt): Promise<ShareFacts> {
  const seenAt = await redisTime(redis);
  const [counts, members, stop, known, bytes, count] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'delayed'),
    listPresent(redis, keys),
    readStop(redis, keys),
    redis.hmget(keys.rate, 'memory', 'closedUntil'),
    redis.hget(keys.sizes, 'all'),
    redis.zcount(keys.expiring, seenAt, '+inf'),
  ]);
  const [memory, closedUntil] = known;
  const throttledUntil = Number(closedUntil ?? 0);
  return {
    seenAt,
    calls: {
      waiting: counts.waiting ?? 0,
      active: counts.active ?? 0,
      delayed: counts.delayed ?? 0,
    },
    members: members.sort((one, other) => one.startedAt - other.startedAt),
    workers: members.filter(({ concurrency }) => concurrency > 0).length,
    rate: await readRate({ redis, keys }, memory ?? '', seenAt),
    throttledUntil: throttledUntil > seenAt ? throttledUntil : undefined,
    stop,
    answers: { count, bytes: count === 0 ? 0 : Number(bytes ?? 0) },
  };
}

async function readRate(
  { redis, keys }: Pick<ShareToLookAt, 'redis' | 'keys'>,
  text: string,
  nowMs: number,
): Promise<RateFacts> {
  // Who has gone holds its ceiling in Redis until somebody else writes there.
  const memory = passTime(parseMemory(text), onlooker, nowMs);
  const { perSecond, reason } = allowedRate(memory, onlooker, nowMs);
  const asked = memory.senders.map(({ ceiling }) => ceiling).sort((one, other) => one - other);
  if (perSecond === Number.POSITIVE_INFINITY) {
    return { allowed: undefined, used: undefined, loweredBy: undefined, asked };
  }
  // A second is shorter than the time between two requests of such a rate.
  const spanMs = perSecond < 1 ? 1_000 / perSecond : 1_000;
  const left = await redis.zcount(keys.window, `(${nowMs - spanMs}`, nowMs);
  // To an onlooker every ceiling is that of another; it lowers the rate only where somebody asks for more.
  const isLowered = reason !== 'other job' || asked.some((ceiling) => ceiling > perSecond);
  return {
    allowed: perSecond,
    used: (left * 1_000) / spanMs,
    loweredBy: isLowered && reason !== 'ceiling' ? reason : undefined,
    asked,
  };
}
