import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { withTimeout } from '../../platform/retry.ts';
import {
  checkEviction,
  checkVersion,
  defineScript,
  type Finding,
  openRedis,
  readServerFacts,
} from './redis.ts';
import { connectError } from './redis-errors.ts';

const answerMs = 5_000;

/** Throws the first reason why runs cannot share this Redis. */
export async function examineRedis(address: URL): Promise<Finding> {
  // The ready check needs INFO; `checkVersion` says how to grant that right.
  const redis = await openRedis(address, { enableReadyCheck: false });
  try {
    const facts = await readServerFacts(redis);
    const version = checkVersion(facts);
    const { finding, ...others } = checkEviction(facts);
    await withTimeout(tryRights(redis), answerMs);
    return { finding: `${version} at ${address.host}, ${finding}`, ...others };
  } catch (error) {
    throw connectError(address, error);
  } finally {
    redis.disconnect();
  }
}

/** KEYS: one key for each type that sharing writes. */
const tryWriting = defineScript<number>(`
redis.call('SET', KEYS[1], 'a check', 'EX', 60)
redis.call('HSET', KEYS[2], 'a', 'check')
redis.call('HMSET', KEYS[2], 'a', 'check')
redis.call('ZADD', KEYS[3], 1, 'a check')
redis.call('LPUSH', KEYS[4], 'a check')
redis.call('XADD', KEYS[5], '*', 'a', 'check')
redis.call('SADD', KEYS[6], 'a check')
return redis.call('DEL', unpack(KEYS))
`);

async function tryRights(redis: Redis) {
  const name = `dossier:check:${randomUUID()}`;
  const kinds = ['text', 'table', 'order', 'list', 'events', 'set'];
  await tryWriting(
    redis,
    kinds.map((kind) => `${name}:${kind}`),
    [],
  );
  // Tests EVAL itself: a cached script runs by EVALSHA, which does not need permission for EVAL.
  await redis.eval('return 0', 0);
  await redis.time();
  await redis.hgetall(name);
  await redis.bzpopmin(name, 0.01);
  await redis.xread('COUNT', 1, 'STREAMS', name, '0');
}
