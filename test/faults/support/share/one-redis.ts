import { afterAll, beforeAll } from 'vitest';
import { isOnPath } from '../../../support/needs.ts';
import { type RunningRedis, startRedis } from '../../../support/redis.ts';

/** One Redis for all cases of a file: worlds do not meet there, as each has a key of its own. */
export function oneRedis(): { readonly url: string } {
  let redis: RunningRedis | undefined;
  beforeAll(async () => {
    if (isOnPath('redis-server')) redis = await startRedis();
  });
  afterAll(async () => await redis?.[Symbol.asyncDispose]());
  return {
    get url() {
      return redis?.url ?? '';
    },
  };
}
