import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describeFailure } from '../../client/wire/describe-failure.ts';
import { DossierError, type ErrorCode } from '../../errors.ts';
import { isPrivateAddress } from '../../runtime/loopback/private-address.ts';

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

type Facts = ReadonlyMap<string, string>;

/** What INFO tells; empty where the user may not read it. */
async function readFacts(redis: Redis): Promise<Facts> {
  const text = await redis.info().catch(() => '');
  return new Map(
    text.split(/\r?\n/).map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/);
      return [name, value] as const;
    }),
  );
}

const letRead = 'Give the user the right to it: `+info`.';
const leastVersion = [6, 2] as const;

function judgeVersion(facts: Facts): Omit<Found, 'about'> {
  const version = facts.get('redis_version');
  if (version === undefined) return { finding: 'unknown: INFO may not be read', advice: letRead };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1]);
  if (isOld) {
    const message = `Redis ${version} is too old: ${leastVersion.join('.')} is the least`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const valkey = facts.get('valkey_version');
  return { finding: valkey ? `Valkey ${valkey}, as Redis ${version}` : `Redis ${version}` };
}

/** Answers of 2 KB take twice the bytes of their bodies in Redis: their names and times take as much. */
const neededShare = 2;

/** A Redis that evicts keys loses calls that runs wait for, and the rate with them. */
function judgeEviction(facts: Facts, maxBytes: number): Omit<Found, 'about'> {
  const policy = facts.get('maxmemory_policy');
  if (policy === undefined) {
    const advice = `${letRead} Or make sure that \`maxmemory-policy\` is noeviction.`;
    return { finding: 'unknown: INFO may not be read', advice };
  }
  if (policy !== 'noeviction') {
    const message = `Redis evicts keys when its memory is full: maxmemory-policy is ${policy}`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const limit = Number(facts.get('maxmemory') ?? 0);
  if (limit === 0) return { finding: 'noeviction, without a limit of memory' };
  const finding = `noeviction, with ${inMegabytes(limit)} of memory`;
  if (limit >= neededShare * maxBytes) return { finding };
  return {
    finding: `${finding}; ${inMegabytes(maxBytes)} of answers take about twice as much`,
    advice: 'Raise maxmemory of Redis, or lower service.share.memory.',
  };
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
}

/** Does what sharing takes, under names that are gone afterwards. */
async function tryRights(redis: Redis): Promise<Omit<Found, 'about'>> {
  const name = `dossier:check:${randomUUID()}`;
  await redis.set(name, 'a check', 'EX', 60);
  await redis.eval(`return redis.call('DEL', KEYS[1])`, 1, name);
  await redis.publish(name, '');
  await redis.subscribe(name);
  await redis.unsubscribe(name);
  return { finding: 'may write, run scripts and publish under dossier:' };
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

/** What Redis says by the first word of a reply, and what that means for a run. */
const replies: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/^WRONGPASS|^ERR invalid password/, 'SHARE_REFUSED', 'refuses the user name or password'],
  [/^NOAUTH/, 'SHARE_REFUSED', 'wants a password'],
  [/^NOPERM/, 'SHARE_REFUSED', 'lets this user do too little'],
  [/^DENIED/, 'SHARE_REFUSED', 'takes connections of its own machine only'],
  [/^OOM/, 'SHARE_DOWN', 'takes nothing at present: its memory is full'],
  [/^(LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN)/, 'SHARE_DOWN', 'takes nothing at present'],
  [/^ERR max number of clients/, 'SHARE_DOWN', 'takes no more connections'],
  [/READONLY/, 'SHARE_UNFIT', 'is a replica, which cannot be written to'],
  [/^MOVED/, 'SHARE_UNFIT', 'is one node of a cluster'],
];

function asTrouble({ hostname, port, protocol }: URL, error: unknown): DossierError {
  const where = `Redis at ${hostname}:${port === '' ? '6379' : port}`;
  const message = error instanceof Error ? error.message : String(error);
  // The reply of a protected Redis is a page of advice.
  const [said = ''] = message.split(/[.,] /);
  const known = replies.find(([pattern]) => pattern.test(message));
  if (known) {
    const [, code, sentence] = known;
    return new DossierError(code, `${where} ${sentence}: ${said}`, { cause: error });
  }
  if (error instanceof Error && error.name === 'ReplyError') {
    return new DossierError('SHARE_UNFIT', `${where} says: ${said}`, { cause: error });
  }
  const reason = /ssl|EPROTO/i.test(message) ? 'it speaks no TLS' : describeFailure(error);
  const other = protocol === 'rediss:' ? 'redis://, without TLS' : 'rediss://, for TLS';
  const isMute = /closed|time|ssl|EPROTO|ECONNRESET/i.test(message);
  const hint = isMute ? `; is the address to begin with ${other}?` : '';
  const text = `${where} cannot be reached: ${reason}${hint}`;
  return new DossierError('SHARE_DOWN', text, { cause: error });
}
