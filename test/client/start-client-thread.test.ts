import { describe, expect, test } from 'vitest';
import { openClientInThread } from '../../src/client/open-client-in-thread.ts';
import { startClientThread } from '../../src/client/start-client-thread.ts';
import { openSideThread } from '../../src/runtime/side-thread.ts';
import { companyCall, noAbort, testKey } from '../support/client-under-test.ts';
import { openHostileServer } from '../support/hostile-server.ts';

const limits = { rate: 'none', concurrency: 4, timeoutMs: 5_000, attempts: 1 } as const;
const optionsFor = (baseUrl: string) => ({ ...limits, baseUrl, key: testKey, maxWaitMs: 60_000 });

describe('a thread that is started before its client', () => {
  test('serves the client that takes it over, and the next one', async () => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using thread = openSideThread();
    for (const task of [startClientThread(thread), startClientThread(thread)]) {
      await using client = openClientInThread(optionsFor(server.url), task);
      expect(await client.send(companyCall, noAbort)).toMatchObject({ companyId: '7' });
    }
  });

  test('keeps no socket of a client that is closed', async () => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using thread = openSideThread();
    const client = openClientInThread(optionsFor(server.url), startClientThread(thread));
    await client.send(companyCall, noAbort);
    await client[Symbol.asyncDispose]();
    await expect.poll(() => server.openConnections()).toBe(0);
  });

  test('tells a client that comes too late that it has ended', async () => {
    const thread = openSideThread();
    const task = startClientThread(thread);
    await thread[Symbol.asyncDispose]();
    await using client = openClientInThread(optionsFor('http://127.0.0.1'), task);
    await expect(client.send(companyCall, noAbort)).rejects.toThrow('has ended');
  });
});
