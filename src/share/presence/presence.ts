import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { defineScript, luaNow } from '../redis/run-script.ts';
import type { ShareKeys } from '../redis/share-keys.ts';
import { goneMs } from './silence.ts';

/** One run, as the others know it. */
export interface Presence {
  readonly id: string;
  /** Says that it is still there. */
  renew(): Promise<void>;
  leave(): Promise<void>;
}

/** KEYS: present. Removes runs that have gone, and says that this one is there. */
const renewRun = defineScript<number>(`
${luaNow}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** Enters the list of runs that share. */
export async function enter(redis: Redis, { present }: ShareKeys): Promise<Presence> {
  const id = `run-${randomBytes(9).toString('base64url')}`;
  let hasLeft = false;
  const renew = async () => {
    if (!hasLeft) await renewRun(redis, [present], [id, goneMs]);
  };
  await renew();
  return {
    id,
    renew,
    async leave() {
      hasLeft = true;
      await redis.zrem(present, id);
    },
  };
}
