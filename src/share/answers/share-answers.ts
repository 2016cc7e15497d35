import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { defineScript, luaNow } from '../redis/run-script.ts';
import type { ShareKeys } from '../redis/share-keys.ts';

/** An answer that was paid for, by whichever run. */
export interface SharedAnswer {
  readonly kind: 'hit' | 'miss';
  readonly status: number;
  readonly body: Buffer;
  readonly companyId?: string | undefined;
  readonly durationMs: number;
  /** The run whose request may be charged for it; absent where none is. */
  readonly paidBy?: string | undefined;
  /** By the clock of Redis. */
  readonly fetchedAt: number;
}

export type NewSharedAnswer = Omit<SharedAnswer, 'fetchedAt'>;

/** What is known of a call before it is asked. */
export interface SeenCall {
  readonly answer: SharedAnswer | undefined;
  /** How often it was asked and ended. */
  readonly generation: number;
}

export interface KeepTerms {
  readonly keepMs: number;
  /** The bytes that all answers may take. */
  readonly maxBytes: number;
}

/** The answers of all runs, as far as they are kept in Redis. */
export interface ShareAnswers {
  look(call: string): Promise<SeenCall>;
  /**
   * Ends a generation of a call, with its answer where there is one. The first answer wins: a worker that was
   * believed dead may come late, and then its answer is kept where there is no other.
   */
  end(
    call: string,
    generation: number,
    answer: (NewSharedAnswer & KeepTerms) | undefined,
  ): Promise<void>;
  /** Runs have stored the answers of these calls, so that they may give way to others. */
  acknowledge(calls: readonly string[]): Promise<void>;
  /** Removes the answers of these calls, which is possible where the memory of Redis is full. */
  forget(calls: readonly string[]): Promise<void>;
  /**
   * Makes room: answers go that a run has stored, or else those of runs that have been gone for long, which would
   * be taken at their next start.
   */
  relieve(): Promise<void>;
}

/** The name of the form in which an answer lies in Redis. */
const form = '1';
/**
 * Longer than a job that has ended is kept, so that its number is not given again. Each call that was ever asked
 * takes room for so long, which is not counted.
 */
const generationMs = 600_000;
/** What Redis takes for an answer besides its bytes: names, times and places in tables. */
const overheadBytes = 1_000;
/** Answers that are removed with each new one, so that no step takes long. */
const sweptAtOnce = 20;
/** Answers that are removed where there is no room for anything. */
const relievedAtOnce = 20;
/** A run that was killed may be started again within this time. */
const restartMs = 600_000;

/** Removes the answer of a call, whose name is `call`, and what is known of it. */
const luaForget = `
local function forget(call)
  local bytes = tonumber(redis.call('HGET', KEYS[5], call) or 0)
  redis.call('DEL', ARGV[1] .. call)
  redis.call('HDEL', KEYS[5], call)
  redis.call('ZREM', KEYS[3], call)
  redis.call('ZREM', KEYS[4], call)
  if bytes > 0 then redis.call('HINCRBY', KEYS[5], 'all', -bytes) end
end
`;

/**
 * KEYS: answer, generation, expiring, stored, sizes. Where nobody knows the number any more, whoever ends it is
 * the first. The tables go with the last answer, where nobody comes to sweep them.
 */
const endCall = defineScript<number>(`
${luaNow}${luaForget}
local call, number, generationMs, swept = ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
if tonumber(redis.call('GET', KEYS[2]) or 0) > number then
  if #ARGV == 5 or redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
else
  redis.call('SET', KEYS[2], number + 1, 'PX', generationMs)
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, swept)) do
  forget(old)
end
if #ARGV == 5 then return 1 end
local keepMs, maxBytes, bytes = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
forget(call)
redis.call('HSET', KEYS[1], 'at', now, unpack(ARGV, 9))
redis.call('PEXPIRE', KEYS[1], keepMs)
redis.call('ZADD', KEYS[3], now + keepMs, call)
redis.call('HSET', KEYS[5], call, bytes)
local all = redis.call('HINCRBY', KEYS[5], 'all', bytes)
for _ = 1, tonumber(swept) do
  if all <= maxBytes then break end
  local oldest = redis.call('ZRANGE', KEYS[4], 0, 0)[1]
  if not oldest then break end
  forget(oldest)
  all = tonumber(redis.call('HGET', KEYS[5], 'all'))
end
local lastMs = math.max(keepMs, redis.call('PTTL', KEYS[5]))
for place = 3, 5 do redis.call('PEXPIRE', KEYS[place], lastMs) end
return 1
`);

/** KEYS: present, one that is not used, expiring, stored, sizes. Removing is allowed where the memory is full. */
const relieve = defineScript<number>(`
${luaNow}${luaForget}
local oldest = redis.call('ZRANGE', KEYS[4], 0, ARGV[2] - 1)
for _, call in ipairs(oldest) do forget(call) end
if #oldest > 0 then return #oldest end
for _, call in ipairs(redis.call('ZRANGE', KEYS[3], 0, ARGV[2] - 1)) do
  local at, paidBy = unpack(redis.call('HMGET', ARGV[1] .. call, 'at', 'paidBy'))
  local isOld = tonumber(at or 0) < now - ARGV[3]
  if isOld and not (paidBy and redis.call('ZSCORE', KEYS[1], paidBy)) then forget(call) end
end
return 0
`);

/** KEYS: two that are not used, expiring, stored, sizes. */
const forgetCalls = defineScript<number>(`
${luaForget}
for place = 2, #ARGV do forget(ARGV[place]) end
return #ARGV
`);

/** KEYS: expiring, stored. */
const acknowledgeCalls = defineScript<number>(`
${luaNow}
for _, call in ipairs(ARGV) do
  if redis.call('ZSCORE', KEYS[1], call) then redis.call('ZADD', KEYS[2], 'NX', now, call) end
end
redis.call('PEXPIRE', KEYS[2], math.max(1, redis.call('PTTL', KEYS[1])))
return #ARGV
`);

export function openShareAnswers(redis: Redis, keys: ShareKeys): ShareAnswers {
  return {
    async look(call) {
      const [fields, generation] = await Promise.all([
        redis.hgetallBuffer(keys.answer(call)),
        redis.get(keys.generation(call)),
      ]);
      return { answer: readAnswer(fields), generation: Number(generation ?? 0) };
    },
    async end(call, generation, answer) {
      const names = [keys.answer(call), keys.generation(call)];
      const tables = [keys.expiring, keys.stored, keys.sizes];
      const fields = answer ? writeAnswer(answer) : [];
      const bytes = fields.reduce((sum, field) => sum + field.length, overheadBytes);
      await endCall(
        redis,
        [...names, ...tables],
        [
          ...[keys.answer(''), call, generation, generationMs, sweptAtOnce],
          ...(answer ? [answer.keepMs, answer.maxBytes, bytes, ...fields] : []),
        ],
      );
    },
    async acknowledge(calls) {
      if (calls.length > 0) await acknowledgeCalls(redis, [keys.expiring, keys.stored], calls);
    },
    async forget(calls) {
      const tables = [keys.expiring, keys.stored, keys.sizes];
      await forgetCalls(redis, ['', '', ...tables], [keys.answer(''), ...calls]);
    },
    async relieve() {
      const tables = [keys.expiring, keys.stored, keys.sizes];
      const values = [keys.answer(''), relievedAtOnce, restartMs];
      await relieve(redis, [keys.present, '', ...tables], values);
    },
  };
}

function writeAnswer(answer: NewSharedAnswer): (string | Buffer)[] {
  const { kind, status, companyId, durationMs, paidBy, body } = answer;
  return [
    ...['form', form, 'kind', kind, 'status', String(status), 'ms', String(durationMs)],
    ...(companyId === undefined ? [] : ['company', companyId]),
    ...(paidBy === undefined ? [] : ['paidBy', paidBy]),
    'body',
    zstdCompressSync(body),
  ];
}

/** Undefined where there is none, or one of a form that this version does not know. */
function readAnswer(fields: Record<string, Buffer>): SharedAnswer | undefined {
  const text = (name: string) => fields[name]?.toString();
  const kind = text('kind');
  if (text('form') !== form || !fields.body || (kind !== 'hit' && kind !== 'miss'))
    return undefined;
  return {
    kind,
    status: Number(text('status')),
    body: zstdDecompressSync(fields.body),
    companyId: text('company'),
    paidBy: text('paidBy'),
    durationMs: Number(text('ms')),
    fetchedAt: Number(text('at')),
  };
}
