import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script, which Redis runs as one step that nothing comes between. */
export type Script<Result> = (
  redis: Redis,
  keys: readonly string[],
  values: readonly (string | number | Buffer)[],
) => Promise<Result>;

/** Redis keeps scripts by their hash until it is restarted; then the text is sent again. */
export function defineScript<Result>(text: string): Script<Result> {
  const sha = createHash('sha1').update(text).digest('hex');
  return async (redis, keys, values) => {
    try {
      return (await redis.evalsha(sha, keys.length, ...keys, ...values)) as Result;
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(text, keys.length, ...keys, ...values)) as Result;
    }
  };
}

/** The time of Redis in milliseconds: all machines go by one clock. */
export const luaNow = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
