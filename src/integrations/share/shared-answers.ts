import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { retry } from '../../platform/retry.ts';
import { defineScript, luaNow, type ShareKeys } from './redis.ts';
import { isFull, isTemporary } from './redis-errors.ts';

export interface SharedAnswer {
  readonly kind: 'hit' | 'miss' | 'unreadable';
  readonly status: number;
  readonly body: Buffer;
  readonly companyId?: string | undefined;
  readonly durationMs: number;
  /** Absent if the answer is free. */
  readonly paidBy?: string | undefined;
  readonly fetchedAt: number;
}

export const mostAnswerBytes = 256_000_000;
const form = '3';
const overheadBytes = 1_000;
const evictedAtOnce = 20;
/** For this long, a killed run may restart and need its answers. */
const restartMs = 600_000;
/** Subtracted from the sort key of answers that a ledger has stored, so they are evicted first. */
const storedShift = 1e13;

/** Needs KEYS[1] (kept), KEYS[2] (sizes) and ARGV[1] (prefix of answers). */
const luaForget = `
${luaNow}
local function forget(call)
  local bytes = tonumber(redis.call('HGET', KEYS[2], call) or 0)
  redis.call('DEL', ARGV[1] .. call)
  redis.call('HDEL', KEYS[2], call)
  redis.call('ZREM', KEYS[1], call)
  if bytes > 0 then redis.call('HINCRBY', KEYS[2], 'all', -bytes) end
end
local function evict(most)
  local calls = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, most)
  for _, call in ipairs(calls) do forget(call) end
  return #calls
end
`;

/** KEYS: kept, sizes, answer. `kept` and `sizes` expire with the last answer. */
const keepAnswer = defineScript<number>(`
${luaForget}
local call, keepMs, maxBytes, bytes = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
forget(call)
redis.call('HSET', KEYS[3], unpack(ARGV, 6))
redis.call('PEXPIRE', KEYS[3], keepMs)
redis.call('ZADD', KEYS[1], now + keepMs, call)
redis.call('HSET', KEYS[2], call, bytes)
local all = redis.call('HINCRBY', KEYS[2], 'all', bytes)
for _ = 1, ${evictedAtOnce} do
  if all <= maxBytes or evict(1) == 0 then break end
  all = tonumber(redis.call('HGET', KEYS[2], 'all'))
end
local lastMs = math.max(keepMs, redis.call('PTTL', KEYS[2]))
redis.call('PEXPIRE', KEYS[1], lastMs)
return redis.call('PEXPIRE', KEYS[2], lastMs)
`);

/** KEYS: kept, sizes. Only deletes, so it works even if Redis is full. */
const evictAnswers = defineScript<number>(`
${luaForget}
local evicted = evict(${evictedAtOnce})
if evicted > 0 then return evicted end
for _, call in ipairs(redis.call('ZRANGE', KEYS[1], 0, ${evictedAtOnce - 1})) do
  local at = tonumber(redis.call('HGET', ARGV[1] .. call, 'at') or 0)
  if at < now - ${restartMs} then forget(call) end
end
return 0
`);

/** KEYS: kept, sizes. */
const forgetAnswers = defineScript<number>(`
${luaForget}
for place = 2, #ARGV do forget(ARGV[place]) end
return #ARGV
`);

/** KEYS: kept. */
const acknowledgeAnswers = defineScript<number>(`
${luaNow}
for _, call in ipairs(ARGV) do
  if tonumber(redis.call('ZSCORE', KEYS[1], call) or 0) > 0 then
    redis.call('ZADD', KEYS[1], now - ${storedShift}, call)
  end
end
return #ARGV
`);

export interface AnswerStore {
  look(call: string): Promise<SharedAnswer | undefined>;
  keep(call: string, answer: SharedAnswer, keepMs: number, maxBytes: number): Promise<void>;
  /** Call after the ledger has committed the answer. */
  noteStored(call: string): void;
  flush(): Promise<void>;
  /** Other answers that no ledger has stored yet stay, because they are paid for. */
  forget(calls: readonly string[], holds: (text: string) => boolean): Promise<void>;
  /** Makes room in Redis. */
  evict(): Promise<void>;
}

export function createAnswerStore(redis: Redis, keys: ShareKeys): AnswerStore {
  const tables = [keys.kept, keys.sizes];
  const stored: string[] = [];
  let acknowledging: Promise<void> = Promise.resolve();

  /** Marks answers as stored in a ledger, so Redis may evict them. */
  const acknowledge = async (calls: readonly string[]) => {
    try {
      await acknowledgeAnswers(redis, [keys.kept], calls);
    } catch (error) {
      if (!isFull(error)) throw error;
      await forgetAnswers(redis, tables, [keys.answer(''), ...calls]);
    }
  };
  const acknowledgeStored = () => {
    const calls = stored.splice(0);
    const retrying = { canRetry: isTemporary, waitMs: 200 };
    // If this fails, the answers stay until they expire.
    acknowledging = retry(() => acknowledge(calls), retrying).catch(() => {});
  };
  const look = async (call: string) => readAnswer(await redis.hgetallBuffer(keys.answer(call)));
  return {
    look,
    async keep(call, answer, keepMs, maxBytes) {
      const fields = writeAnswer(answer);
      const bytes = fields.reduce((sum, field) => sum + field.length, overheadBytes);
      await keepAnswer(
        redis,
        [...tables, keys.answer(call)],
        [keys.answer(''), call, keepMs, maxBytes, bytes, ...fields],
      );
    },
    noteStored(call) {
      if (stored.length === 0) setImmediate(acknowledgeStored);
      stored.push(call);
    },
    async flush() {
      if (stored.length > 0) acknowledgeStored();
      await acknowledging;
    },
    async forget(calls, holds) {
      const gone = [...calls];
      for (const call of await redis.zrangebyscore(keys.kept, '-inf', 0)) {
        if (holds(String((await look(call))?.body))) gone.push(call);
      }
      await forgetAnswers(redis, tables, [keys.answer(''), ...gone]);
    },
    async evict() {
      await evictAnswers(redis, tables, [keys.answer('')]);
    },
  };
}

/** `kind` and `at` are separate fields, because scripts read them. */
function writeAnswer({ kind, fetchedAt, body, ...about }: SharedAnswer): (string | Buffer)[] {
  const texts = { form, kind, at: String(fetchedAt), about: JSON.stringify(about) };
  return [...Object.entries(texts).flat(), 'body', zstdCompressSync(body)];
}

function readAnswer(fields: Record<string, Buffer>): SharedAnswer | undefined {
  const { form: found, kind, at, about, body } = fields;
  if (String(found) !== form || !body) return undefined;
  return {
    ...(JSON.parse(String(about)) as Omit<SharedAnswer, 'kind' | 'fetchedAt' | 'body'>),
    kind: String(kind) as SharedAnswer['kind'],
    fetchedAt: Number(at),
    body: zstdDecompressSync(body),
  };
}
