import { Redis } from 'ioredis';
import { DossierError } from '../../errors.ts';
import { readTrouble } from './redis-trouble.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; a secret, as it may hold a password. */
  readonly address: URL;
  /** What `client list` of Redis shows. */
  readonly name: string;
}

const connectTimeoutMs = 5_000;
/** Soon enough that a run goes on as soon as Redis is back. */
const longestRetryMs = 1_000;

/**
 * Connects to Redis, and stays connected: once it was reached, commands wait until it is reached again.
 * Throws a sentence where it cannot be reached now.
 */
export async function openRedis({ address, name }: RedisOptions): Promise<Redis> {
  const redis = new Redis(address.href, {
    lazyConnect: true,
    connectionName: name,
    connectTimeout: connectTimeoutMs,
    // BullMQ asks for it: a command waits for as long as it takes, and who sends it decides how long that is.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (hasBeenReady ? Math.min(50 * 2 ** times, longestRetryMs) : null),
  });
  let hasBeenReady = false;
  let trouble: Error | undefined;
  // Without a listener ioredis writes errors to the terminal.
  redis.on('error', (error) => {
    trouble = error;
  });
  // A Redis that hangs takes the connection and says nothing.
  const overdue = setTimeout(() => redis.disconnect(), 2 * connectTimeoutMs);
  try {
    await redis.connect();
    hasBeenReady = true;
    return redis;
  } catch (error) {
    redis.disconnect();
    throw unreachable(trouble ?? (error as Error), address);
  } finally {
    clearTimeout(overdue);
  }
}

/** Where Redis is, without what may be secret. */
export function placeOf({ hostname, port }: URL): string {
  return `Redis at ${hostname}:${port === '' ? '6379' : port}`;
}

function unreachable(error: Error, address: URL): DossierError {
  const where = placeOf(address);
  if (readTrouble(error) === 'refused') {
    return new DossierError('SHARE_REFUSED', `${where} refused the user or password`);
  }
  return new DossierError('SHARE_DOWN', `${where} cannot be reached: ${describe(error)}`);
}

function describe(error: Error & { readonly code?: string }): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no machine of that name';
    case 'ETIMEDOUT':
      return 'it does not answer';
    default:
      return error.message;
  }
}
