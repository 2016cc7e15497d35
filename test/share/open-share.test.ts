import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { systemClock } from '../../src/runtime/clock.ts';
import { openShare } from '../../src/share/open-share.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';

const open = (address: string) =>
  openShare({
    ...{ address: new URL(address), service: 'http://127.0.0.1:1', key: 'key-of-the-account' },
    ...{ rate: 5, maxWaitMs: 1_000, clock: systemClock, onAllowed: () => {} },
    facts: { kind: 'run', version: '1.2.3', concurrency: 1 },
  });

testWithRedis('a Redis that cannot be shared is told in a sentence and let go of', async () => {
  await using server = await startRedis();
  const admin = new Redis(server.url);
  const expectRefusal = async (address: string, code: string, sentence: string) => {
    const opened = open(address);
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
