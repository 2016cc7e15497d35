import type { CallMessage } from '../messages/call-message.ts';
import type { Share } from '../open-share.ts';
import { queueName } from '../open-share.ts';
import { defineScript, luaNow } from '../redis/run-script.ts';

/** A job as its worker holds it. */
export interface HeldJob {
  readonly id: string;
  /** Of the lock: another worker has another. */
  readonly token: string;
  /** The name of its call. */
  readonly call: string;
}

/** What a worker has to do with a job. */
export type Beginning =
  /** The request may leave. */
  | 'go'
  /** The run that wants the answer has gone, or all runs stop. */
  | 'unwanted'
  /** A fresh answer is there. */
  | 'answered'
  /** There is no room in Redis for the answer. */
  | 'full'
  /** The job belongs to another worker: this one was away for too long. */
  | 'lost';

/** KEYS: lock, present, answer, sizes, stored, stop, expiring. What has expired gives way to the answer. */
const beginCall = defineScript<Beginning>(`
${luaNow}
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
local kind, at = unpack(redis.call('HMGET', KEYS[3], 'kind', 'at'))
if kind then
  local freshFrom = tonumber(kind == 'hit' and ARGV[3] or ARGV[4])
  if tonumber(at) >= freshFrom then return 'answered' end
end
if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[2]) or 0) < now then return 'unwanted' end
local stoppedAt = redis.call('HGET', KEYS[6], 'at')
if stoppedAt and tonumber(stoppedAt) > tonumber(ARGV[6]) then return 'unwanted' end
local bytes = tonumber(redis.call('HGET', KEYS[4], 'all') or 0)
local giveWay = redis.call('ZCARD', KEYS[5]) + redis.call('ZCOUNT', KEYS[7], '-inf', now)
if bytes > tonumber(ARGV[5]) and giveWay == 0 then return 'full' end
return 'go'
`);

/** Asks Redis whether the request of a job may leave. */
export async function begin(
  { redis, keys }: Pick<Share, 'redis' | 'keys'>,
  { id, token, call }: HeldJob,
  { run, freshFrom, maxBytes, askedAt }: CallMessage,
): Promise<Beginning> {
  const lock = `${keys.prefix}:${queueName}:${id}:lock`;
  return await beginCall(
    redis,
    [lock, keys.present, keys.answer(call), keys.sizes, keys.stored, keys.stop, keys.expiring],
    [token, run, freshFrom.hit, freshFrom.miss, maxBytes, askedAt],
  );
}
