import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { DossierError } from '../../core/errors.ts';
import { withTimeout } from '../../core/runtime/retry.ts';
import { checkEviction, checkVersion, defineScript, openRedis, readServerFacts } from './redis.ts';
import { connectError } from './redis-errors.ts';

export interface RedisFinding {
  readonly about: 'reached' | 'version' | 'eviction' | 'rights';
  readonly finding: string;
  readonly advice?: string;
  readonly error?: DossierError;
}

type Found = Pick<RedisFinding, 'finding' | 'advice'>;

const answerMs = 5_000;

export async function examineRedis(address: URL): Promise<RedisFinding[]> {
  const findings: RedisFinding[] = [];
  const tryTo = async <Result>(about: RedisFinding['about'], find: () => Promise<Result>) => {
    try {
      return await find();
    } catch (thrown) {
      const error = connectError(address, thrown);
      findings.push({ about, finding: error.message, error });
      return undefined;
    }
  };
  const examine = (about: RedisFinding['about'], find: () => Found | Promise<Found>) =>
    tryTo(about, async () => {
      findings.push({ about, ...(await withTimeout(Promise.resolve(find()), answerMs)) });
    });
  // The ready check needs INFO; a user without that right should see the other findings.
  const redis = await tryTo('reached', () => openRedis(address, { enableReadyCheck: false }));
  if (!redis) return findings;
  try {
    findings.push({ about: 'reached', finding: `${address.host} is reachable` });
    const facts = await readServerFacts(redis);
    await examine('version', () => checkVersion(facts));
    await examine('eviction', () => checkEviction(facts));
    await examine('rights', () => tryRights(redis));
    return findings;
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
  return { finding: 'has permission to write keys that begin with `dossier:` and to run scripts' };
}
