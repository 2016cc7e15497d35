import type { Redis } from 'ioredis';
import type { SharedRate } from '../../client/rate/shared-places.ts';
import { defineScript } from '../redis/run-script.ts';

type Change = Parameters<SharedRate['change']>[0];

/** What all machines know of the rate, as Redis has it and as it is changed from here. */
export interface RedisRate extends SharedRate {
  /** The version of the memory that is known here. */
  readonly version: number;
  /** Takes over what Redis has. */
  see(version: number, memory: string): void;
}

/** KEYS: rate. Writes the memory where nobody has written another since. */
const writeMemory = defineScript<[number, string]>(`
local version = tonumber(redis.call('HGET', KEYS[1], 'version') or 0)
if version ~= tonumber(ARGV[1]) then
  return { version, redis.call('HGET', KEYS[1], 'memory') or '' }
end
redis.call('HSET', KEYS[1], 'version', version + 1, 'memory', ARGV[2])
return { version + 1, ARGV[2] }
`);

/**
 * Keeps what is remembered of the rate in Redis, so that it adapts once for all machines. A change counts
 * here at once and is written behind; where another machine was faster, it is made again on top. A Redis that
 * has lost its data is told again by whoever knows: a worker without a rate would be free until a run tells its own.
 */
export function openRedisRate(redis: Redis, rateKey: string, nowMs: () => number): RedisRate {
  let version = 0;
  let stored = '';
  let memory = '';
  let pending: Change[] = [];
  let isWriting = false;

  const changed = (changes: readonly Change[], from: string) => {
    // Places are taken in Redis itself, so none are kept here.
    const state = { leaves: [], memory: from };
    for (const change of changes) change(state);
    return state.memory;
  };
  const see = (seenVersion: number, seen: string) => {
    if (seenVersion === version) return;
    const isLost = seenVersion === 0 && memory !== '';
    version = seenVersion;
    stored = seen;
    if (isLost) void write();
    else memory = changed(pending, stored);
  };
  const write = async () => {
    if (isWriting) return;
    isWriting = true;
    try {
      while (memory !== stored) {
        const [told, written] = [pending, memory];
        const [newVersion, newMemory] = await writeMemory(redis, [rateKey], [version, written]);
        if (newMemory === written) {
          pending = pending.slice(told.length);
          [version, stored] = [newVersion, newMemory];
        } else see(newVersion, newMemory);
      }
      pending = [];
    } catch {
      // Redis is away or full: what was learned is written with the next change.
    } finally {
      isWriting = false;
    }
  };
  const change = (update: Change) => {
    const before = memory;
    memory = changed([update], memory);
    if (memory === before) return;
    pending.push(update);
    void write();
  };
  return {
    get version() {
      return version;
    },
    see,
    nowMs,
    read: () => memory,
    change,
    tryChange(update) {
      change(update);
      return true;
    },
    [Symbol.dispose]() {},
  };
}
