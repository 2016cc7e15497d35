import type { Redis } from 'ioredis';

/** The clock of Redis in milliseconds, which all machines go by. */
export async function redisTime(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}
