import { randomUUID } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import { Redis } from 'ioredis';
import { DossierError } from '../errors.ts';
import { asTrouble } from './redis/redis-trouble.ts';
import { defineScript, judgeEviction, judgeVersion, readFacts } from './redis.ts';

/** One thing that was found out about a Redis. */
export interface RedisFinding {
  readonly about: 'reached' | 'version' | 'eviction' | 'rights' | 'tls';
  readonly finding: string;
  /** What to do about it, though runs can share it as it is. */
  readonly advice?: string;
  /** Why no run can share it. */
  readonly error?: DossierError;
}

interface Examination {
  /** The most bytes of answers that the job lets lie there. */
  readonly maxBytes: number;
  readonly timeoutMs?: number;
}

/** Looks at the Redis that runs are to share. Only a Redis that can be reached is looked at further. */
export async function examineRedis(
  address: URL,
  { maxBytes, timeoutMs = 5_000 }: Examination,
): Promise<RedisFinding[]> {
  const redis = clientFor(address, timeoutMs);
  let lost: Error | undefined;
  // Without a listener ioredis writes errors to the terminal.
  redis.on('error', (error: Error) => {
    lost ??= error;
  });
  const trouble = (error: unknown) => asTrouble(address, lost ?? error);
  const tryTo = async (about: RedisFinding['about'], find: () => Promise<Omit<Found, 'about'>>) => {
    try {
      return { about, ...(await find()) };
    } catch (thrown) {
      const error = thrown instanceof DossierError ? thrown : trouble(thrown);
      return { about, finding: error.message, error };
    }
  };
  try {
    const reached = await tryTo('reached', () => reach(redis, address));
    if ('error' in reached) return [reached];
    const facts = await readFacts(redis);
    return [
      reached,
      await tryTo('version', async () => judgeVersion(facts)),
      await tryTo('eviction', async () => judgeEviction(facts, maxBytes)),
      await tryTo('rights', () => tryRights(redis)),
      await tryTo('tls', async () => judgeEncryption(redis, address)),
    ];
  } finally {
    redis.disconnect();
  }
}

type Found = Omit<RedisFinding, 'error'>;

function clientFor({ protocol, hostname, port }: URL, timeoutMs: number): Redis {
  return new Redis({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 6379 : Number(port),
    ...(protocol === 'rediss:' && { tls: {} }),
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    enableReadyCheck: false,
    disableClientInfo: true,
  });
}

/** Signs in by itself, because ioredis writes to the terminal where no password is needed. */
async function reach(redis: Redis, { host, username, password, pathname }: URL) {
  await redis.connect();
  let isOpen = false;
  if (`${username}${password}` !== '') {
    const secret = decodeURIComponent(password);
    const signIn = username ? redis.auth(decodeURIComponent(username), secret) : redis.auth(secret);
    await signIn.catch((error: Error) => {
      isOpen = /no password is set|without any password configured/.test(error.message);
      if (!isOpen) throw error;
    });
  }
  await redis.select(Number(pathname.slice(1)));
  return { finding: `${host} is reachable${isOpen ? '; it asks for no password' : ''}` };
}

/** KEYS: one of each kind that sharing writes. All are gone afterwards. */
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

/** Does what sharing takes, under names that are gone afterwards. */
async function tryRights(redis: Redis): Promise<Omit<Found, 'about'>> {
  const name = `dossier:check:${randomUUID()}`;
  const kinds = ['text', 'table', 'order', 'list', 'events', 'set'];
  await tryWriting(
    redis,
    kinds.map((kind) => `${name}:${kind}`),
    [],
  );
  // Redis may have kept the script of an earlier check, which needs no other right then.
  await redis.eval('return 0', 0);
  await redis.time();
  await redis.hgetall(name);
  // What workers and runs wait by; nothing is there to be waited for.
  await redis.bzpopmin(name, 0.01);
  await redis.xread('COUNT', 1, 'STREAMS', name, '0');
  return { finding: 'may write and run scripts under dossier:' };
}

function judgeEncryption(redis: Redis, { protocol }: URL): Omit<Found, 'about'> {
  if (protocol === 'rediss:') return { finding: 'encrypted' };
  const { remoteAddress = '' } = redis.stream as { remoteAddress?: string };
  if (isPrivateAddress(remoteAddress))
    return { finding: 'not encrypted, within a private network' };
  return {
    finding: 'not encrypted, and Redis is not in a private network: answers can be read on the way',
    advice: 'Let Redis speak TLS, and write rediss:// in place of redis://.',
  };
}

const networks = new BlockList();
networks.addSubnet('127.0.0.0', 8);
networks.addSubnet('10.0.0.0', 8);
networks.addSubnet('172.16.0.0', 12);
networks.addSubnet('192.168.0.0', 16);
networks.addSubnet('169.254.0.0', 16);
networks.addAddress('::1', 'ipv6');
networks.addSubnet('fc00::', 7, 'ipv6');
networks.addSubnet('fe80::', 10, 'ipv6');

/** Whether an IP address belongs to this machine, or to a network that the internet does not reach. */
export function isPrivateAddress(address: string): boolean {
  return networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
