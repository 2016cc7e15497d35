import type { Redis } from 'ioredis';
import { DossierError } from '../../errors.ts';

/** What was found, and what to do about it though runs can share the Redis as it is. */
interface Judgement {
  readonly finding: string;
  readonly advice?: string;
}

/** What INFO tells of a Redis, by the names that it has there. */
export type RedisFacts = ReadonlyMap<string, string>;

/** What INFO tells; empty where the user may not read it. */
export async function readFacts(redis: Redis): Promise<RedisFacts> {
  const text = await redis.info().catch(() => '');
  return new Map(
    text.split(/\r?\n/).map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/);
      return [name, value] as const;
    }),
  );
}

/** Its version, its eviction policy, and whether it was restarted. */
const unread = 'Redis tells this user nothing of itself: INFO may not be read, which needs `+info`';
const leastVersion = [6, 2] as const;

export function judgeVersion(facts: RedisFacts): Judgement {
  const version = facts.get('redis_version');
  if (version === undefined) throw new DossierError('SHARE_REFUSED', unread);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1]);
  if (isOld) {
    const message = `Redis ${version} is too old: ${leastVersion.join('.')} is the least`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const valkey = facts.get('valkey_version');
  return { finding: valkey ? `Valkey ${valkey}, as Redis ${version}` : `Redis ${version}` };
}

/** The queue and what Redis takes for itself come on top of the answers. */
const neededShare = 1.5;

/** A Redis that evicts keys loses calls that runs wait for, and the rate with them. */
export function judgeEviction(facts: RedisFacts, maxBytes = 0): Judgement {
  const policy = facts.get('maxmemory_policy');
  if (policy === undefined) throw new DossierError('SHARE_REFUSED', unread);
  if (policy !== 'noeviction') {
    const message = `Redis evicts keys when its memory is full: maxmemory-policy is ${policy}`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const limit = Number(facts.get('maxmemory') ?? 0);
  if (limit === 0) return { finding: 'noeviction, without a limit of memory' };
  const finding = `noeviction, with ${inMegabytes(limit)} of memory`;
  if (limit >= neededShare * maxBytes) return { finding };
  return {
    finding: `${finding}; ${inMegabytes(maxBytes)} of answers need ${inMegabytes(neededShare * maxBytes)}`,
    advice: 'Raise maxmemory of Redis, or lower service.share.memory.',
  };
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}
