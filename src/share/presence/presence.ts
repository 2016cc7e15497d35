import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { readJson } from '../messages/read-json.ts';
import { defineScript, luaNow } from '../redis/run-script.ts';
import type { ShareKeys } from '../redis/share-keys.ts';
import { goneMs } from './silence.ts';

/** What a run or worker tells the others of itself. */
const Member = z.object({
  kind: z.enum(['run', 'worker']),
  machine: z.string(),
  pid: z.number(),
  version: z.string(),
  startedAt: z.number(),
  /** Calls that a worker makes at once; 0 for a run. */
  concurrency: z.number(),
  /** The job of a run, or that a worker serves. */
  job: z.string().exactOptional(),
});
export type Member = z.output<typeof Member>;
export type PresentMember = Member & { readonly id: string };

export type OwnFacts = Pick<Member, 'kind' | 'version' | 'concurrency' | 'job'>;

/** One run or worker, as the others know it. */
export interface Presence {
  readonly id: string;
  /** Says that it is still there. */
  renew(): Promise<void>;
  leave(): Promise<void>;
}

/** KEYS: present, members. Removes who has gone, and says who is there. */
const renewMember = defineScript<number>(`
${luaNow}
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  redis.call('ZREM', KEYS[1], gone)
  redis.call('HDEL', KEYS[2], gone)
end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return now
`);

/** KEYS: present, members. */
const listMembers = defineScript<string[]>(`
${luaNow}
local members = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')) do
  local facts = redis.call('HGET', KEYS[2], id)
  if facts then
    table.insert(members, id)
    table.insert(members, facts)
  end
end
return members
`);

/** Enters the list of those who share. */
export async function enter(redis: Redis, keys: ShareKeys, facts: OwnFacts): Promise<Presence> {
  const id = `${facts.kind}-${randomBytes(9).toString('base64url')}`;
  const { pid } = process;
  const member: Member = { ...facts, machine: hostname(), pid, startedAt: Date.now() };
  const text = JSON.stringify(member);
  let hasLeft = false;
  const renew = async () => {
    if (hasLeft) return;
    await renewMember(redis, [keys.present, keys.members], [id, goneMs, text]);
  };
  await renew();
  return {
    id,
    renew,
    async leave() {
      hasLeft = true;
      await redis.zrem(keys.present, id);
      await redis.hdel(keys.members, id);
    },
  };
}

/** The runs and workers that are there; members of another form are left out. */
export async function listPresent(redis: Redis, keys: ShareKeys): Promise<PresentMember[]> {
  const listed = await listMembers(redis, [keys.present, keys.members], []);
  const members: PresentMember[] = [];
  for (let place = 0; place < listed.length; place += 2) {
    const member = Member.safeParse(readJson(listed[place + 1] ?? ''));
    if (member.success) members.push({ id: listed[place] ?? '', ...member.data });
  }
  return members;
}
