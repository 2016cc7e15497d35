import type { Redis } from 'ioredis';
import type { Clock } from '../../runtime/clock.ts';

/** The clock of Redis in milliseconds, which all machines go by. */
async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** The clock of Redis as it is known here between two looks at it. */
export interface RedisClock {
  nowMs(): number;
  /** Looks at it anew. */
  ask(): Promise<number>;
}

export async function openRedisClock(
  redis: Redis,
  clock: Pick<Clock, 'monotonicMs'>,
): Promise<RedisClock> {
  let offsetMs = 0;
  const ask = async () => {
    const redisMs = await redisTime(redis);
    offsetMs = redisMs - clock.monotonicMs();
    return redisMs;
  };
  await ask();
  return { nowMs: () => clock.monotonicMs() + offsetMs, ask };
}
