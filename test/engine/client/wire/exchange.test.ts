import { Agent } from 'undici';
import { afterEach, expect, test, vi } from 'vitest';
import { exchange } from '../../../../src/engine/client/wire/exchange.ts';
import { openLargeBodies } from '../../../../src/engine/client/wire/large-bodies.ts';
import { openHostileServer } from '../../../support/hostile-server.ts';

const maxBodyBytes = 1_000_000;
let agent = new Agent({ connections: 2 });

afterEach(async () => {
  await agent.destroy();
  agent = new Agent({ connections: 2 });
});

const timeoutMs = 30_000;

function ask(url: string, signal = new AbortController().signal, onStart = () => true) {
  const request = { method: 'GET', origin: url, path: '/', headers: {} } as const;
  const bodies = openLargeBodies(10);
  const share = { isLarge: false };
  return exchange(agent, request, { signal, timeoutMs, bodies, share, maxBodyBytes, onStart });
}

test('large error bodies are read or dropped, so that a pool of two goes on', async () => {
  await using server = await openHostileServer({ status: 500, body: 'x'.repeat(900_000) });
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(server.url)));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(500));
  expect(server.connections()).toBe(2);
});

test('an error is taken by its status even when its body has no end', async () => {
  const body = 'x'.repeat(100_000);
  await using server = await openHostileServer({ status: 401, body, endless: true });
  const answer = await ask(server.url);
  expect(answer.status).toBe(401);
  expect(answer.body.length).toBeLessThan(maxBodyBytes);
});

test('an answer over the limit is given up, and the pool goes on', async () => {
  await using server = await openHostileServer((_request, index) =>
    index < 4 ? { body: 'x'.repeat(100_000), endless: true } : { body: '{}' },
  );
  for (let times = 0; times < 4; times += 1) {
    await expect(ask(server.url)).rejects.toThrow('over 1000000 bytes');
  }
  expect((await ask(server.url)).body.toString()).toBe('{}');
});

test('the time stands still for an answer that is held back', async () => {
  await using server = await openHostileServer({ body: 'x'.repeat(900_000) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const request = { method: 'GET', origin: server.url, path: '/', headers: {} } as const;
  const { promise: held, resolve: hold } = Promise.withResolvers<() => void>();
  let times = 0;
  const mayGrow = (_share: object, goOn: () => void) => {
    times += 1;
    if (times === 1) hold(goOn);
    return times > 1;
  };
  const bodies = Object.assign(openLargeBodies(1), { mayGrow });
  const { signal } = new AbortController();
  const limits = { timeoutMs: 200, maxBodyBytes, bodies, share: { isLarge: false } };
  const answer = exchange(agent, request, { signal, ...limits, onStart: () => true });
  const goOn = await held;
  await vi.advanceTimersByTimeAsync(1_000);
  goOn();
  expect((await answer).body.length).toBe(900_000);
  vi.useRealTimers();
});
