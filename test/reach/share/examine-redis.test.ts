import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { examineRedis, type RedisFinding } from '../../../src/reach/share/examine-redis.ts';
import { checkVersion } from '../../../src/reach/share/redis.ts';
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
    const findings = await examine(server.url);
    expect(findings.map(told)).toEqual([
      `reached: 127.0.0.1:${server.port} is reachable`,
      expect.stringMatching(/^version: Redis \d+\.\d+\.\d+$/),
      'eviction: noeviction, without a memory limit',
      'rights: has permission to write keys that begin with `dossier:` and to run scripts',
    ]);
    expect(await admin.keys('*')).toEqual([]);
  });

  testWithRedis('is unfit if it evicts keys, and too small if answers may fill it', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(trouble(await examine(server.url))).toEqual(['eviction SHARE_UNFIT']);
    await admin.config('SET', 'maxmemory', '100mb', 'maxmemory-policy', 'noeviction');
    const small = (await examine(server.url)).find(({ about }) => about === 'eviction');
    expect(small?.finding).toBe('noeviction, with 105 MB of memory; answers need 384 MB');
    expect(small?.advice).toContain('maxmemory');
  });

  testWithRedis('takes nothing while its memory is full', async () => {
    await admin.config('SET', 'maxmemory', '1');
    const [rights] = (await examine(server.url)).filter(({ error }) => error);
    expect(rights).toMatchObject({ about: 'rights', error: { code: 'SHARE_DOWN' } });
    expect(rights?.finding).toContain('its memory is full');
  });

  testWithRedis('lets a user in who has the rights of the documents, and no others', async () => {
    await admin.call('ACL', ['SETUSER', 'worker', ...userLine]);
    expect(trouble(await examine(signedIn('worker:w0rd')))).toEqual([]);
    await admin.call('ACL', ['SETUSER', 'worker', '-eval', '-info']);
    const findings = await examine(signedIn('worker:w0rd'));
    const refused = ['version', 'eviction', 'rights'].map((about) => `${about} SHARE_REFUSED`);
    expect(trouble(findings)).toEqual(refused);
    expect(findings.filter(({ finding }) => finding.includes('+info'))).toHaveLength(2);
    for (const command of ['time', 'bzpopmin', 'xread', 'xadd', 'hset', 'zadd']) {
      await admin.call('ACL', ['SETUSER', 'worker', 'reset', ...userLine, `-${command}`]);
      expect(trouble(await examine(signedIn('worker:w0rd'))), command).toEqual([
        'rights SHARE_REFUSED',
      ]);
    }
  });

  testWithRedis(
    'refuses a wrong password and none, and takes one that it does not need',
    async () => {
      const warn = vi.spyOn(console, 'warn');
      expect(trouble(await examine(signedIn(':needless')))).toEqual([]);
      expect(warn).not.toHaveBeenCalled();
      await admin.call('ACL', ['SETUSER', 'default', '>s3cret']);
      try {
        const wrong = await examine(signedIn(':wrong'));
        expect(trouble(wrong)).toEqual(['reached SHARE_REFUSED']);
        expect(wrong[0]?.finding).not.toContain('wrong ');
        expect(trouble(await examine(server.url))).toEqual(['reached SHARE_REFUSED']);
        expect(trouble(await examine(signedIn(':s3cret')))).toEqual([]);
      } finally {
        await admin.call('ACL', ['SETUSER', 'default', 'nopass']);
      }
    },
  );

  testWithRedis('is unfit without the database of the address, and as a replica', async () => {
    const missing = await examine(`${server.url}/99`);
    expect(trouble(missing)).toEqual(['reached SHARE_UNFIT']);
    expect(missing[0]?.finding).toContain('has no database with that number');
    await admin.replicaof('127.0.0.1', '1');
    expect(trouble(await examine(server.url))).toEqual(['rights SHARE_UNFIT']);
    await admin.replicaof('NO', 'ONE');
  });

  testWithRedis('is down when nothing listens there', async () => {
    await using other = await startRedis();
    await other.kill();
    const [reached, ...others] = await examine(other.url);
    expect(reached).toMatchObject({ about: 'reached', error: { code: 'SHARE_DOWN' } });
    expect(reached?.finding).toContain('connection refused');
    expect(others).toEqual([]);
  });

  const hasBoth = isOnPath('redis-server') && isOnPath('openssl');
  testIf(hasBoth, 'redis-server or openssl is not on PATH')(
    'suggests the other kind of address if only one side uses TLS',
    async () => {
      const certificate = makeCertificate('IP:127.0.0.1');
      await using encrypted = await startRedis({ certificate });
      const [plain] = await examine(encrypted.url.replace('rediss', 'redis'));
      expect(plain?.finding).toContain('begin with rediss://');
      const [untrusted] = await examine(encrypted.url);
      expect(untrusted?.finding).toContain('certificate not trusted');
      const [mute] = await examine(server.url.replace('redis', 'rediss'));
      expect(mute?.finding).toContain('begin with redis://');
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

function examine(url: string): Promise<RedisFinding[]> {
  return examineRedis(new URL(url));
}

const told = ({ about, finding }: RedisFinding) => `${about}: ${finding}`;

function trouble(findings: readonly RedisFinding[]): string[] {
  return findings.flatMap(({ about, error }) => (error ? [`${about} ${error.code}`] : []));
}
