import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { examineRedis } from '../../../src/integrations/share/examine-redis.ts';
import { checkVersion } from '../../../src/integrations/share/redis.ts';
import { makeCertificate } from '../../support/make-certificate.ts';
import { isOnPath, testIf } from '../../support/needs.ts';
import { type RunningRedis, startRedis, testWithRedis } from '../../support/redis.ts';

/** The line of docs/many-machines.md. */
const userLine = ['on', '>w0rd', '~dossier:*', '&dossier:*', '+@all', '-@dangerous', '+info'];

describe('a Redis that can be reached', () => {
  let server: RunningRedis;
  let admin: Redis;
  beforeAll(async () => {
    if (!isOnPath('redis-server')) return;
    server = await startRedis();
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin?.disconnect();
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await admin?.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
  });
  const signedIn = (credentials: string) => server.url.replace('//', `//${credentials}@`);

  testWithRedis('is fit as it comes, and a check leaves nothing there', async () => {
    const found = expect.stringMatching(
      new RegExp(
        `^Redis \\d+\\.\\d+\\.\\d+ at 127.0.0.1:${server.port}, noeviction, without a memory limit$`,
      ),
    );
    expect(await examine(server.url)).toEqual({ finding: found });
    expect(await admin.keys('*')).toEqual([]);
  });

  testWithRedis('is unfit if it evicts keys, and too small if answers may fill it', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(examine(server.url)).rejects.toMatchObject({ code: 'SHARE_UNFIT' });
    await admin.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'noeviction');
    expect(await examine(server.url)).toMatchObject({
      finding: expect.stringContaining('noeviction, with 105 MB of memory; answers need 384 MB'),
      advice: expect.stringContaining('maxmemory'),
    });
  });

  testWithRedis('takes nothing while its memory is full', async () => {
    await admin.config('SET', 'maxmemory', '1');
    await expect(examine(server.url)).rejects.toMatchObject({
      code: 'SHARE_DOWN',
      message: expect.stringContaining('its memory is full'),
    });
  });

  testWithRedis('lets a user in who has the rights of the documents, and no others', async () => {
    const worker = signedIn('worker:w0rd');
    await admin.call('ACL', ['SETUSER', 'worker', ...userLine]);
    await examine(worker);
    await admin.call('ACL', ['SETUSER', 'worker', '-info']);
    await expect(examine(worker)).rejects.toThrow('+info');
    for (const command of ['eval', 'time', 'bzpopmin', 'xread', 'xadd', 'hset', 'zadd']) {
      await admin.call('ACL', ['SETUSER', 'worker', 'reset', ...userLine, `-${command}`]);
      await expect(examine(worker), command).rejects.toMatchObject({ code: 'SHARE_REFUSED' });
    }
  });

  testWithRedis(
    'refuses a wrong password and none, and takes one that it does not need',
    async () => {
      const warn = vi.spyOn(console, 'warn');
      await examine(signedIn(':needless'));
      expect(warn).not.toHaveBeenCalled();
      await admin.call('ACL', ['SETUSER', 'default', '>s3cret']);
      try {
        const refused = { code: 'SHARE_REFUSED', message: expect.not.stringContaining('wrong ') };
        await expect(examine(signedIn(':wrong'))).rejects.toMatchObject(refused);
        await expect(examine(server.url)).rejects.toMatchObject(refused);
        await examine(signedIn(':s3cret'));
      } finally {
        await admin.call('ACL', ['SETUSER', 'default', 'nopass']);
      }
    },
  );

  testWithRedis('is unfit without the database of the address, and as a replica', async () => {
    await expect(examine(`${server.url}/99`)).rejects.toMatchObject({
      code: 'SHARE_UNFIT',
      message: expect.stringContaining('has no database with that number'),
    });
    await admin.replicaof('127.0.0.1', '1');
    await expect(examine(server.url)).rejects.toMatchObject({ code: 'SHARE_UNFIT' });
    await admin.replicaof('NO', 'ONE');
  });

  testWithRedis('is down when nothing listens there', async () => {
    await using other = await startRedis();
    await other.kill();
    await expect(examine(other.url)).rejects.toMatchObject({
      code: 'SHARE_DOWN',
      message: expect.stringContaining('connection refused'),
    });
  });

  const hasBoth = isOnPath('redis-server') && isOnPath('openssl');
  testIf(hasBoth, 'redis-server or openssl is not on PATH')(
    'suggests the other kind of address if only one side uses TLS',
    async () => {
      const certificate = makeCertificate('IP:127.0.0.1');
      await using encrypted = await startRedis({ certificate });
      const plain = encrypted.url.replace('rediss', 'redis');
      await expect(examine(plain)).rejects.toThrow('begin with rediss://');
      await expect(examine(encrypted.url)).rejects.toThrow('certificate not trusted');
      const mute = server.url.replace('redis', 'rediss');
      await expect(examine(mute)).rejects.toThrow('begin with redis://');
    },
    20_000,
  );
});

test.each([
  ['6.0.16', undefined, false],
  ['6.2.0', undefined, true],
  ['7.2.4', '8.1.0', true],
])('Redis %s, or Valkey %s, is new enough: %s', (redis, valkey, isFit) => {
  const facts = new Map(
    Object.entries({ redis_version: redis, ...(valkey && { valkey_version: valkey }) }),
  );
  if (isFit) expect(() => checkVersion(facts)).not.toThrow();
  else expect(() => checkVersion(facts)).toThrow(expect.objectContaining({ code: 'SHARE_UNFIT' }));
});

function examine(url: string) {
  return examineRedis(new URL(url));
}
