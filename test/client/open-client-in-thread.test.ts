import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClientEvent } from '../../src/client/client-event.ts';
import { openClientInThread } from '../../src/client/open-client-in-thread.ts';
import { packNews } from '../../src/client/pack-news.ts';
import { startClientThread } from '../../src/client/start-client-thread.ts';
import { plainBody } from '../../src/runtime/bundle.ts';
import { openSideThread, type SideThread } from '../../src/runtime/side-thread.ts';
import { companyCall, noAbort, peopleCall, testKey } from '../support/client-under-test.ts';
import { openHostileServer } from '../support/hostile-server.ts';

let thread: SideThread;
beforeEach(() => {
  thread = openSideThread();
});
afterEach(() => thread[Symbol.asyncDispose]());

function openThread(
  baseUrl: string,
  { key = testKey, onEvent = (_event: ClientEvent) => {}, task = startClientThread(thread) } = {},
) {
  const limits = { rate: 'none', concurrency: 4, timeoutMs: 5_000, attempts: 1 } as const;
  return openClientInThread({ baseUrl, key, maxWaitMs: 60_000, ...limits, onEvent }, task);
}

const lookup = (value: string) =>
  ({ ...companyCall, identifier: { kind: 'fqdn', value } }) as const;

describe('a client in a thread of its own', () => {
  test('brings answers home byte for byte, with what the company is called', async () => {
    const company = `{"id":"7","fqdn":"acme.com.au","text":"${'é'.repeat(500)}"}`;
    const people = `[{"person_id":"p"}]`;
    await using server = await openHostileServer(({ method }) => ({
      body: method === 'GET' ? company : people,
    }));
    const events: ClientEvent[] = [];
    await using client = openThread(server.url, { onEvent: (event) => void events.push(event) });
    const [hit, page] = await Promise.all([
      client.send(companyCall, noAbort),
      client.send(peopleCall, noAbort),
    ]);
    expect(hit).toMatchObject({ kind: 'hit', companyId: '7', names: { fqdn: 'acme.com.au' } });
    expect(page).toMatchObject({ kind: 'hit', status: 200 });
    const texts = [hit, page].map((outcome) =>
      outcome.kind === 'hit' ? plainBody(outcome.body).toString() : '',
    );
    expect(texts).toEqual([company, people]);
    expect(events.map(({ type }) => type)).toEqual(['attempt.made', 'attempt.made']);
  });

  test('loses no answer that its thread had sent before it broke down', async () => {
    const { port1, port2 } = new MessageChannel();
    const { promise: broken, resolve: breakDown } = Promise.withResolvers<unknown>();
    const client = openThread('http://127.0.0.1:9', {
      task: { port: port1, closed: broken, broken },
    });
    const sent = [client.send(companyCall, noAbort), client.send(companyCall, noAbort)];
    const facts = { status: 404, attempts: 1, durationMs: 1 };
    const outcome = { kind: 'miss', body: Buffer.from('{}'), ...facts } as const;
    const { message, bytes } = packNews([], [{ id: 1, outcome }]);
    port2.postMessage(message, [bytes]);
    breakDown(new Error('out of memory'));
    const settled = await Promise.allSettled(sent);
    expect(settled).toMatchObject([
      { value: { kind: 'miss', status: 404 } },
      { reason: { message: 'out of memory' } },
    ]);
    port1.close();
  });

  test('tells misses, invalid calls and failures apart', async () => {
    await using server = await openHostileServer(({ path }) => ({
      status: Number(/\d{3}/.exec(path)?.[0]),
      body: '{"message":"no"}',
    }));
    await using client = openThread(server.url);
    await client.send(lookup('a404.com'), noAbort);
    const outcomes = [404, 422, 502].map((status) =>
      client.send(lookup(`a${status}.com`), noAbort),
    );
    expect(await Promise.all(outcomes)).toMatchObject([
      { kind: 'miss', body: { length: 16 } },
      { kind: 'invalid', message: 'no' },
      { kind: 'failed', reason: 'HTTP 502: no' },
    ]);
  });

  test('loses no answer, however answers and messages fall together', async () => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using client = openThread(server.url);
    for (let round = 0; round < 30; round += 1) {
      const names = Array.from({ length: 1 + (round % 7) }, (_, index) => `a${index}.com`);
      const outcomes = await Promise.all(names.map((name) => client.send(lookup(name), noAbort)));
      expect(outcomes.map(({ kind }) => kind)).toEqual(names.map(() => 'hit'));
    }
  });

  test('throws what stops a run, by its code', async () => {
    await using server = await openHostileServer({ status: 401 });
    await using client = openThread(server.url);
    const refusal = { name: 'DossierError', code: 'KEY_REFUSED' };
    await expect(client.send(companyCall, noAbort)).rejects.toMatchObject(refusal);
    await expect(client.send(companyCall, noAbort)).rejects.toMatchObject(refusal);
  });

  test('gives back the very error that it was stopped with', async () => {
    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using client = openThread(server.url);
    const reason = new Error('enough');
    client.stop(reason);
    await expect(client.send(companyCall, noAbort)).rejects.toBe(reason);
    expect(server.seen).toHaveLength(0);
  });

  test('gives up what is on the wire when its signal aborts', async () => {
    await using server = await openHostileServer({ neverAnswer: true });
    await using client = openThread(server.url);
    const controller = new AbortController();
    const answer = client.send(companyCall, controller.signal);
    const reason = new Error('given up');
    setTimeout(() => controller.abort(reason), 50);
    await expect(answer).rejects.toBe(reason);
  });

  test('does not wait for a service that never answers when it is closed', async () => {
    await using server = await openHostileServer({ neverAnswer: true });
    const client = openThread(server.url);
    const answer = client.send(companyCall, noAbort);
    answer.catch(() => {});
    await client[Symbol.asyncDispose]();
    await expect(answer).rejects.toThrow();
    await expect(client.send(companyCall, noAbort)).rejects.toThrow('has ended');
  });

  test('tells whoever sends why it could not be opened', async () => {
    vi.stubEnv('HTTP_PROXY', 'no address');
    await using client = openThread('http://service.invalid');
    const refusal = { name: 'DossierError', code: 'SERVICE_URL_INVALID' };
    await expect(client.send(companyCall, noAbort)).rejects.toMatchObject(refusal);
    vi.unstubAllEnvs();
  });

  test('refuses a key that no header carries', () => {
    expect(() => openThread('http://127.0.0.1', { key: ' ' })).toThrow('is empty');
  });

  test('tells every call why its thread broke down, and the next client has another', async () => {
    const task = thread.begin(new URL('../support/breaking-task.ts', import.meta.url), 'send');
    await using client = openThread('http://127.0.0.1', { task });
    const calls = [client.send(companyCall, noAbort), client.send(peopleCall, noAbort)];
    for (const call of calls) await expect(call).rejects.toThrow('the task broke');
    await expect(client.send(companyCall, noAbort)).rejects.toThrow('the task broke');

    await using server = await openHostileServer({ body: '{"id":"7"}' });
    await using next = openThread(server.url);
    expect(await next.send(companyCall, noAbort)).toMatchObject({ companyId: '7' });
  });
});
