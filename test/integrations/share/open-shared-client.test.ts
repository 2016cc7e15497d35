import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { Client } from '../../../src/engine/client/open-client.ts';
import { companyData } from '../../../src/engine/providers/company-data/company-data.ts';
import { openSharedClient } from '../../../src/integrations/share/open-shared-client.ts';
import { shareKeys } from '../../../src/integrations/share/redis.ts';
import { createAnswerStore } from '../../../src/integrations/share/shared-answers.ts';
import { callName, queueName } from '../../../src/integrations/share/shared-calls.ts';
import { companyCall, noAbort, testKey } from '../../support/client-under-test.ts';
import { openHostileServer } from '../../support/hostile-server.ts';
import { startRedis, testWithRedis } from '../../support/redis.ts';

const keepMs = 60_000;

testWithRedis('a Redis that cannot be shared is refused in a sentence and let go', async () => {
  await using server = await startRedis();
  const admin = new Redis(server.url);
  const expectRefusal = async (address: string, code: string, sentence: string) => {
    const opened = openTestClient(address);
    await expect(opened).rejects.toMatchObject({ code });
    await expect(opened).rejects.toThrow(sentence);
    const isLetGo = async () => !String(await admin.client('LIST')).includes('name=dossier');
    await expect.poll(isLetGo).toBe(true);
  };
  const rights = ['on', '>w0rd', '~another:*', '&*', '+@all'];
  await admin.call('ACL', ['SETUSER', 'stranger', ...rights]);
  const asStranger = server.url.replace('//', '//stranger:w0rd@');
  await expectRefusal(asStranger, 'SHARE_REFUSED', 'denies this user a required permission');
  await expectRefusal(`${server.url}/99`, 'SHARE_UNFIT', 'DB index is out of range');
  await admin.config('SET', 'maxmemory', '1');
  await expectRefusal(server.url, 'SHARE_DOWN', 'its memory is full');
  await admin.config('SET', 'maxmemory', '0');
  await admin.replicaof('127.0.0.1', '1');
  await expectRefusal(server.url, 'SHARE_UNFIT', 'is a replica');
  admin.disconnect();
});

testWithRedis('calls wait while answers that no run has stored fill the memory', async () => {
  await using server = await startRedis();
  await using service = await openHostileServer({ status: 404, body: '{}' });
  const admin = new Redis(server.url);
  const answers = createAnswerStore(admin, shareKeys(service.url, testKey));
  const maxBytes = 1_500;
  const facts = { kind: 'miss', status: 404, durationMs: 1, fetchedAt: Date.now() } as const;
  await answers.keep('unstored', { ...facts, body: randomBytes(3_000) }, keepMs, maxBytes);
  const reports: string[] = [];
  const onError = (message: string) => void reports.push(message);
  await using client = await openTestClient(server.url, {
    baseUrl: service.url,
    maxBytes,
    listener: { onLost() {}, onBack() {}, onError },
  });
  const sent = client.send(companyCall, noAbort);
  await expect.poll(() => reports).toEqual([expect.stringContaining('have filled their 256 MB')]);
  expect(service.seen).toEqual([]);
  answers.noteStored('unstored');
  expect(await sent).toMatchObject({ kind: 'miss' });
  admin.disconnect();
});

testWithRedis('a job that its process could not hold is made once', async () => {
  await using server = await startRedis();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using service = await openHostileServer(async () => {
    await released;
    return { status: 404, body: '{}' };
  });
  await using client = await openTestClient(server.url, { baseUrl: service.url });
  const sent = client.send(companyCall, noAbort);
  await expect.poll(() => service.seen.length).toBe(1);
  // What BullMQ does with a job whose lock was not renewed.
  const redis = new Redis(server.url);
  const queue = `${shareKeys(service.url, testKey).prefix}:${queueName}`;
  const name = callName(companyCall);
  await redis.del(`${queue}:${name}:lock`);
  await redis.lrem(`${queue}:active`, 1, name);
  await redis.rpush(`${queue}:wait`, name);
  await redis.zadd(`${queue}:marker`, 0, '0');
  await expect.poll(() => redis.llen(`${queue}:wait`)).toBe(0);
  release();
  expect(await sent).toMatchObject({ kind: 'miss' });
  await expect.poll(() => redis.exists(`${queue}:${name}`)).toBe(0);
  expect(service.seen).toHaveLength(1);
  redis.disconnect();
});

/** The client of a run in this process. */
function openTestClient(
  redisUrl: string,
  changes: Partial<Parameters<typeof openSharedClient>[0]> = {},
): Promise<Client> {
  const lifeMs = { companiesMs: 60_000, missesMs: 60_000, peopleMs: 60_000 };
  return openSharedClient({
    provider: companyData,
    baseUrl: 'http://127.0.0.1:1',
    service: changes.baseUrl ?? 'http://127.0.0.1:1',
    key: testKey,
    rate: 'none',
    concurrency: 2,
    timeoutMs: 10_000,
    attempts: 1,
    maxWaitMs: 60_000,
    hasEverFound: true,
    redis: new URL(redisUrl),
    maxBytes: 1_000_000,
    reuse: { ...lifeMs, spread: 0, staleOnFailureMs: 0 },
    listener: { onLost() {}, onBack() {}, onError() {} },
    ...changes,
  });
}
