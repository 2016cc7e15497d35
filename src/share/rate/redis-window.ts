import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { defineScript, luaNow } from '../redis/run-script.ts';
import type { ShareKeys } from '../redis/share-keys.ts';

/** What a request needs before it may leave. */
export interface Place {
  readonly id: string;
}

export type PlaceAnswer =
  | { readonly kind: 'taken'; readonly place: Place }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Others have learned of the rate what is not known here. */
  | { readonly kind: 'outdated'; readonly version: number; readonly memory: string };

/** The requests of all machines in the last second, and the gate that a throttle closes. */
export interface RedisWindow {
  /** Takes a place; `perWindow` is undefined where there is no rate, and the gate alone is looked at. */
  take(
    version: number,
    perWindow: { readonly capacity: number; readonly windowMs: number } | undefined,
  ): Promise<PlaceAnswer>;
  /** The request leaves now; the service may see it so much later. */
  start(place: Place, slackMs: number): void;
  /** No request leaves for this place. */
  release(place: Place): void;
  /** No request of any machine leaves for so long. */
  close(waitMs: number): Promise<void>;
}

/** How long a place stays taken by a worker that dies before it sends. */
const holdMs = 10_000;
/** A held place may be given back at any time, so a worker asks again after this wait at the latest. */
const longestWaitMs = 100;
/** Longer than runs wait. A word of the service that is wrong must not keep later runs out for days. */
export const longestClosedMs = 3_600_000;
/** Without a rate, what left before Redis was restarted is of no interest. */
const noWindow = { capacity: 0, windowMs: 0 };

/**
 * KEYS: rate, window. A Redis that was restarted may have lost what was sent last, so nothing leaves for the
 * length of a window. The same goes for one whose clock was set back: what was sent lies ahead then.
 */
const takePlace = defineScript<[string, number, string]>(`
${luaNow}
local version, capacity, windowMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known = redis.call('HMGET', KEYS[1], 'version', 'server', 'quietUntil', 'closedUntil')
local current = tonumber(known[1] or 0)
if current ~= version then
  return { 'outdated', current, redis.call('HGET', KEYS[1], 'memory') or '' }
end
local quietUntil = math.min(tonumber(known[3] or 0), now + windowMs)
local ahead = redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. now + ${holdMs}, '+inf')
if known[2] ~= ARGV[4] or ahead > 0 then
  quietUntil = now + windowMs
  redis.call('HSET', KEYS[1], 'server', ARGV[4], 'quietUntil', quietUntil)
end
local waitMs = math.max(quietUntil, tonumber(known[4] or 0)) - now
if waitMs > 0 then return { 'wait', waitMs, '' } end
if capacity == 0 then return { 'taken', 0, '' } end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - windowMs)
local taken = redis.call('ZCARD', KEYS[2])
if taken < capacity then
  redis.call('ZADD', KEYS[2], now + ${holdMs}, ARGV[5])
  redis.call('PEXPIRE', KEYS[2], ${holdMs} + math.ceil(windowMs))
  return { 'taken', 0, '' }
end
local first = redis.call('ZRANGE', KEYS[2], taken - capacity, taken - capacity, 'WITHSCORES')
return { 'wait', math.ceil(math.min(${longestWaitMs}, tonumber(first[2]) + windowMs - now + 1)), '' }
`);

/** KEYS: window. */
const startPlace = defineScript<number>(`
${luaNow}
return redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
`);

/** KEYS: rate. */
const closeGate = defineScript<number>(`
${luaNow}
local untilMs = math.max(now + ARGV[1], tonumber(redis.call('HGET', KEYS[1], 'closedUntil') or 0))
redis.call('HSET', KEYS[1], 'closedUntil', untilMs)
return untilMs
`);

/** `server` names the Redis that is connected to, which is another after a restart. */
export function openRedisWindow(
  redis: Redis,
  keys: ShareKeys,
  server: () => Promise<string>,
): RedisWindow {
  /** Where Redis is away, what it is told of is told again by the next request. */
  const forget = () => {};
  return {
    async take(version, perWindow = noWindow) {
      const id = randomBytes(9).toString('base64url');
      const { capacity, windowMs } = perWindow;
      const [kind, number, memory] = await takePlace(
        redis,
        [keys.rate, keys.window],
        [version, capacity, windowMs, await server(), id],
      );
      switch (kind) {
        case 'taken':
          return { kind, place: { id } };
        case 'wait':
          return { kind, waitMs: number };
        default:
          return { kind: 'outdated', version: number, memory };
      }
    },
    start: ({ id }, slackMs) => void startPlace(redis, [keys.window], [id, slackMs]).catch(forget),
    release: ({ id }) => void redis.zrem(keys.window, id).catch(forget),
    async close(waitMs) {
      const closedMs = Math.ceil(Math.min(waitMs, longestClosedMs));
      await closeGate(redis, [keys.rate], [closedMs]);
    },
  };
}
