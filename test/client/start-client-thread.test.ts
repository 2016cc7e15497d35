import { describe, expect, test } from 'vitest';
import { openClientInThread } from '../../src/client/open-client-in-thread.ts';
import { startClientThread } from '../../src/client/start-client-thread.ts';
import { companyCall, noAbort, testKey } from '../support/client-under-test.ts';
import { openHostileServer } from '../support/hostile-server.ts';

const limits = { rate: 'none', concurrency: 4, timeoutMs: 5_000, attempts: 1 } as const;

describe('a thread that is started before its client', () => {
  test('serves the client that takes it over, and ends with it', async () => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using thread = startClientThread();
    {
      const options = { ...limits, baseUrl: server.url, key: testKey, maxWaitMs: 60_000 };
      await using client = openClientInThread(options, thread);
      expect(await client.send(companyCall, noAbort)).toMatchObject({ companyId: '7' });
    }
    await expect(thread.ended).resolves.toMatchObject({
      message: 'the thread of the client has ended',
    });
  });

  test('ends at once where no client comes', async () => {
    const thread = startClientThread();
    await thread[Symbol.asyncDispose]();
    await expect(thread.ended).resolves.toMatchObject({
      message: 'the thread of the client has ended',
    });
  });

  test('tells a client that comes too late that it has ended', async () => {
    const thread = startClientThread();
    await thread[Symbol.asyncDispose]();
    const options = { ...limits, baseUrl: 'http://127.0.0.1', key: testKey, maxWaitMs: 60_000 };
    await using client = openClientInThread(options, thread);
    await expect(client.send(companyCall, noAbort)).rejects.toThrow('has ended');
  });
});
