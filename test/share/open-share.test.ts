import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { ClientEvent } from '../../src/client/client-event.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { openTestShare } from './support/open-test-share.ts';

testWithRedis('a Redis that cannot be shared is told in a sentence and let go of', async () => {
  await using server = await startRedis();
  const admin = new Redis(server.url);
  const expectRefusal = async (address: string, code: string, sentence: string) => {
    const opened = openTestShare(address);
    await expect(opened).rejects.toMatchObject({ code });
    await expect(opened).rejects.toThrow(sentence);
    const isLetGo = async () => !String(await admin.client('LIST')).includes('name=dossier');
    await expect.poll(isLetGo).toBe(true);
  };
  const rights = ['on', '>w0rd', '~another:*', '&*', '+@all'];
  await admin.call('ACL', ['SETUSER', 'stranger', ...rights]);
  const asStranger = server.url.replace('//', '//stranger:w0rd@');
  await expectRefusal(asStranger, 'SHARE_REFUSED', 'lets this user do too little');
  await expectRefusal(`${server.url}/99`, 'SHARE_UNFIT', 'DB index is out of range');
  await admin.config('SET', 'maxmemory', '1');
  await expectRefusal(server.url, 'SHARE_DOWN', 'its memory is full');
  await admin.config('SET', 'maxmemory', '0');
  await admin.replicaof('127.0.0.1', '1');
  await expectRefusal(server.url, 'SHARE_UNFIT', 'is a replica');
  admin.disconnect();
});

testWithRedis(
  'a Redis that is full of stored answers makes room for a run that begins',
  async () => {
    await using server = await startRedis({ config: { 'maxmemory-policy': 'noeviction' } });
    const admin = new Redis(server.url);
    await using first = await openTestShare(server.url);
    const calls = Array.from({ length: 40 }, (_, number) => `call-${number}`);
    for (const call of calls) {
      await first.answers.end(call, 0, {
        ...{ kind: 'hit', status: 200, body: randomBytes(100_000), durationMs: 5 },
        ...{ keepMs: 60_000, maxBytes: 100_000_000 },
      });
    }
    await first.answers.acknowledge(calls);
    const used = /used_memory:(\d+)/.exec(await admin.info('memory'))?.[1];
    await admin.config('SET', 'maxmemory', String(Number(used) - 500_000));
    await using _second = await openTestShare(server.url);
    expect(await admin.zcard(first.keys.present)).toBe(2);
    expect(await admin.zcard(first.keys.stored)).toBeLessThan(calls.length);
    admin.disconnect();
  },
);

testWithRedis('of runs with different rates the lowest holds for all, and is told', async () => {
  await using server = await startRedis();
  const events: ClientEvent[] = [];
  await using fast = await openTestShare(server.url, { rate: 80, onEvent: (e) => events.push(e) });
  const slow = await openTestShare(server.url, { rate: 50 });
  await using worker = await openTestShare(server.url);
  const allowed = async () => {
    await fast.pulse();
    await worker.pulse();
    return [fast, worker].map(({ permits }) => permits.allowed().perSecond);
  };
  await expect.poll(allowed).toEqual([50, 50]);
  const told = { perSecond: 50, ceiling: 80, reason: 'other job' };
  expect(events).toEqual([{ type: 'rate.lowered', ...told }]);
  await slow[Symbol.asyncDispose]();
  await expect.poll(allowed).toEqual([80, 80]);
  expect(events.at(-1)).toMatchObject({ type: 'rate.raised', perSecond: 80 });
});
