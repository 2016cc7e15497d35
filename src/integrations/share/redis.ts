import { hash, scryptSync } from 'node:crypto';
import { Redis, type RedisOptions } from 'ioredis';
import { DossierError } from '../../core/errors.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { Clock } from '../../platform/clock.ts';
import { retry, withTimeout } from '../../platform/retry.ts';
import {
  connectError,
  connectionLostError,
  isFull,
  isRefused,
  isTemporary,
} from './redis-errors.ts';

const connectTimeoutMs = 5_000;
/** If the other side is gone, a closing connection blocks exit for this long. */
const disconnectTimeoutMs = 100;
const longestReconnectMs = 1_000;
const retryMs = 200;
/** Wait 10 s first: memory may free up without evicting answers. */
const evictAfterMs = 10_000;

/** After `disconnect`, BullMQ's duplicates of this connection must not reconnect and block exit. */
class SharedRedis extends Redis {
  isLetGo = false;

  override disconnect(reconnect = false): void {
    this.isLetGo ||= !reconnect;
    super.disconnect(reconnect);
  }
}

/** Throws if Redis is unreachable now. Afterwards commands wait for reconnection. */
export async function openRedis(address: URL, options: RedisOptions = {}): Promise<Redis> {
  let isReached = false;
  let failure: Error | undefined;
  const { href } = address;
  // Without a user name, ioredis may print a warning.
  const redis: SharedRedis = new SharedRedis(href.replace('://:', '://default:'), {
    ...options,
    lazyConnect: true,
    connectionName: 'dossier-run',
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    // Required by BullMQ.
    maxRetriesPerRequest: null,
    retryStrategy: (times) =>
      isReached && !redis.isLetGo ? Math.min(50 * 2 ** times, longestReconnectMs) : null,
  });
  // Without a listener ioredis prints errors.
  redis.on('error', (error) => {
    failure = error;
  });
  // A hung Redis accepts the connection but never replies.
  const overdue = setTimeout(() => redis.disconnect(), 2 * connectTimeoutMs);
  try {
    await redis.connect();
    isReached = true;
    // BullMQ duplicates this connection. A duplicate with `lazyConnect` would give up if its
    // connection drops before it is ready.
    redis.options.lazyConnect = false;
    // Throws if the database does not exist; ioredis would silently use database 0.
    await redis.select(Number(address.pathname.slice(1)));
    return redis;
  } catch (error) {
    redis.disconnect();
    throw isReached ? connectionLostError(address, error) : connectError(address, failure ?? error);
  } finally {
    clearTimeout(overdue);
  }
}

export interface RedisRetryOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  evictAnswers(): Promise<void>;
}

/** Retries while Redis is away or full. */
export async function retryRedis<Result>(
  work: () => Promise<Result>,
  { clock, evictAnswers }: RedisRetryOptions,
  signal: AbortSignal,
): Promise<Result> {
  try {
    const attempt = () => {
      signal.throwIfAborted();
      return withTimeout(work(), signal);
    };
    return await retry(attempt, {
      canRetry: isTemporary,
      waitMs: retryMs,
      signal,
      clock,
      async onRetry(error, elapsedMs) {
        if (isFull(error) && elapsedMs >= evictAfterMs) await evictAnswers().catch(() => {});
      },
    });
  } catch (error) {
    if (!isRefused(error) || signal.aborted || error instanceof DossierError) throw error;
    const message = `Redis refuses a command that sharing needs: ${(error as Error).message}`;
    throw new DossierError('SHARE_REFUSED', message, { cause: error });
  }
}

/** Sends the text of the script only if Redis does not know it, as after a restart. */
export function defineScript<Result>(text: string) {
  const sha = hash('sha1', text);
  return async (
    redis: Redis,
    keys: readonly string[],
    values: readonly (string | number | Buffer)[],
  ): Promise<Result> => {
    try {
      return (await redis.evalsha(sha, keys.length, ...keys, ...values)) as Result;
    } catch (error) {
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return (await redis.eval(text, keys.length, ...keys, ...values)) as Result;
    }
  };
}

/** One clock for all machines, in ms. */
export const luaNow = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Changes with each restart of Redis. */
export const luaRedisRunId = `
local redisRunId = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
`;

export type ShareKeys = ReturnType<typeof shareKeys>;

/**
 * Names contain a slow hash, so the service key cannot be guessed. Braces keep all names on one
 * cluster node.
 */
export function shareKeys(service: string, key: string) {
  const account = scryptSync(key, `dossier\n${service}`, 9).toString('base64url');
  const prefix = `dossier:{${account}}`;
  return {
    prefix,
    rate: `${prefix}:rate`,
    /** Runs, each with the time until which it counts as alive. */
    present: `${prefix}:present`,
    stop: `${prefix}:stop`,
    kept: `${prefix}:kept`,
    sizes: `${prefix}:sizes`,
    answer: (call: string) => `${prefix}:answer:${call}`,
  };
}

/** Empty if the user may not run INFO. */
export async function readServerFacts(redis: Redis): Promise<RedisFacts> {
  const text = await redis.info().catch(() => '');
  return new Map(
    text.split(/\r?\n/).map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/);
      return [name, value] as const;
    }),
  );
}

type RedisFacts = ReadonlyMap<string, string>;

const unread = 'this Redis user has no permission to read INFO; grant `+info`';
const leastVersion = '6.2';
/** Room for 256 MB of answers, the queue and Redis itself. */
const neededBytes = 384e6;

export function checkVersion(facts: RedisFacts): string {
  const version = facts.get('redis_version');
  if (version === undefined) throw new DossierError('SHARE_REFUSED', unread);
  if (version.localeCompare(leastVersion, 'en', { numeric: true }) < 0) {
    const message = `Redis ${version} is too old: ${leastVersion} or newer is needed`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const valkey = facts.get('valkey_version');
  return valkey ? `Valkey ${valkey}, as Redis ${version}` : `Redis ${version}`;
}

/** Eviction could remove the rate, or calls that runs wait for. */
export interface Finding {
  readonly finding: string;
  readonly advice?: string;
}

export function checkEviction(facts: RedisFacts): Finding {
  const policy = facts.get('maxmemory_policy');
  if (policy === undefined) throw new DossierError('SHARE_REFUSED', unread);
  if (policy !== 'noeviction') {
    const message = `Redis evicts keys when its memory is full: maxmemory-policy is ${policy}`;
    throw new DossierError('SHARE_UNFIT', message);
  }
  const limit = Number(facts.get('maxmemory') ?? 0);
  if (limit === 0) return { finding: 'noeviction, without a memory limit' };
  const finding = `noeviction, with ${inMegabytes(limit)} of memory`;
  if (limit >= neededBytes) return { finding };
  return {
    finding: `${finding}; answers need ${inMegabytes(neededBytes)}`,
    advice: 'Raise maxmemory in Redis.',
  };
}

function inMegabytes(bytes: number) {
  return `${formatNumber(Math.round(bytes / 1e6))} MB`;
}
