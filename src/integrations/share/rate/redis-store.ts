import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { changeState, closeGate, type RateStore } from '../../../engine/client/rate/rate-state.ts';
import { defineScript, luaNow, type RedisRetryOptions, retryRedis } from '../redis.ts';

/** KEYS: rate. Compare-and-swap. */
const swapState = defineScript<[nowMs: number, version: string, state: string]>(`
${luaNow}
local version, state = unpack(redis.call('HMGET', KEYS[1], 'version', 'state'))
version, state = version or '', state or ''
if ARGV[2] and version == ARGV[1] then
  version, state = ARGV[2], ARGV[3]
  redis.call('HSET', KEYS[1], 'version', version, 'state', state)
end
return { now, version, state }
`);

/** About one rate window, after which the requests that Redis lost no longer count. */
const quietMs = 1_100;
const smoothing = 0.2;

export function openRedisStore(
  redis: Redis,
  rateKey: string,
  retryOptions: RedisRetryOptions,
): RateStore {
  const closed = new AbortController();
  let roundTripMs = 0;
  let known = { count: 0, state: '' };

  const swap = async (...values: string[]) => {
    let askedAtMs = 0;
    const ask = () => {
      askedAtMs = performance.now();
      return swapState(redis, [rateKey], values);
    };
    const [nowMs, version, state] = await retryRedis(ask, retryOptions, closed.signal);
    roundTripMs += smoothing * (performance.now() - askedAtMs - roundTripMs);
    return { nowMs, version, state, askedAtMs };
  };
  return {
    get roundTripMs() {
      return roundTripMs;
    },
    async change(update) {
      for (let { nowMs, version, state, askedAtMs } = await swap(''); ; ) {
        const count = countOf(version);
        // Redis lost its data, including other machines' latest requests, so pause for one window.
        const isLost = count < known.count;
        const base = isLost
          ? changeState(known.state, nowMs, (lost) => closeGate(lost, quietMs))
          : state;
        const next = {
          count: Math.max(count, known.count) + 1,
          state: update(base, nowMs, askedAtMs),
        };
        const written = `${next.count}:${randomBytes(6).toString('base64url')}`;
        const swapped = await swap(version, written, next.state);
        if (swapped.version === written) {
          known = next;
          return;
        }
        ({ nowMs, version, state, askedAtMs } = swapped);
      }
    },
    [Symbol.dispose]: () => closed.abort(new Error('The client is closed.')),
  };
}

/** `12:8fK3xw2a`; the random text tells two writers apart. */
function countOf(version: string) {
  return Number(version.split(':')[0]);
}
