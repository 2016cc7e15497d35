import { Redis } from 'ioredis';
import { asLoss, asTrouble } from './redis-trouble.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; a secret, as it may hold a password. */
  readonly address: URL;
  /** What `client list` of Redis shows. */
  readonly name: string;
}

const connectTimeoutMs = 5_000;
/** A connection that is closed keeps the process for so long, where the other side is away. */
const disconnectTimeoutMs = 100;
/** Soon enough that a run goes on as soon as Redis is back. */
const longestRetryMs = 1_000;

/** BullMQ makes connections like this one, which would keep the process where Redis is away at its end. */
class SharedRedis extends Redis {
  isLetGo = false;

  override disconnect(reconnect = false): void {
    this.isLetGo ||= !reconnect;
    super.disconnect(reconnect);
  }
}

/**
 * Connects to Redis, and stays connected: once it was reached, commands wait until it is reached again.
 * Throws a sentence where it cannot be reached now.
 */
export async function openRedis({ address, name }: RedisOptions): Promise<Redis> {
  const redis: SharedRedis = new SharedRedis(address.href, {
    lazyConnect: true,
    connectionName: name,
    // Without a user name ioredis writes to the terminal where no password is needed.
    ...(address.password !== '' && address.username === '' && { username: 'default' }),
    connectTimeout: connectTimeoutMs,
    disconnectTimeout: disconnectTimeoutMs,
    // BullMQ asks for it: a command waits for as long as it takes, and who sends it decides how long that is.
    maxRetriesPerRequest: null,
    // The connections of BullMQ give up with this one.
    retryStrategy: (times) =>
      isReached && !redis.isLetGo ? Math.min(50 * 2 ** times, longestRetryMs) : null,
  });
  let isReached = false;
  let trouble: Error | undefined;
  // Without a listener ioredis writes errors to the terminal.
  redis.on('error', (error) => {
    trouble = error;
  });
  // A Redis that hangs takes the connection and says nothing.
  const overdue = setTimeout(() => redis.disconnect(), 2 * connectTimeoutMs);
  try {
    await redis.connect();
    isReached = true;
    // BullMQ makes connections like this one. A lazy one gives up where it is cut off before it is ready.
    redis.options.lazyConnect = false;
    // Where the database of the address is not there, ioredis goes on in the first.
    await redis.select(Number(address.pathname.slice(1)));
    return redis;
  } catch (error) {
    redis.disconnect();
    throw isReached ? asLoss(address, error) : asTrouble(address, trouble ?? error);
  } finally {
    clearTimeout(overdue);
  }
}
