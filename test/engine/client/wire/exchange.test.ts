import { type AddressInfo, createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Agent } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { exchange, TimeOverError } from '../../../../src/engine/client/wire/exchange.ts';
import { openLargeBodies } from '../../../../src/engine/client/wire/large-bodies.ts';
import { openHostileServer, type Reaction } from '../../../support/hostile-server.ts';

const maxBodyBytes = 1_000_000;
let agent = new Agent({ connections: 2 });

afterEach(async () => {
  await agent.destroy();
  agent = new Agent({ connections: 2 });
});

function ask(
  url: string,
  signal = new AbortController().signal,
  onStart = () => true,
  timeoutMs = 30_000,
) {
  const request = { method: 'GET', origin: url, path: '/', headers: {} } as const;
  const bodies = openLargeBodies(10);
  const share = { isLarge: false };
  return exchange(agent, request, { signal, timeoutMs, bodies, share, maxBodyBytes, onStart });
}

async function askOnce(reaction: Reaction) {
  await using server = await openHostileServer(reaction);
  return await ask(server.url);
}

test('an answer comes with its status, its headers and its whole body', async () => {
  const answer = await askOnce({ status: 418, headers: { 'x-kind': 'teapot' }, body: 'short' });
  expect(answer).toMatchObject({ status: 418, headers: { 'x-kind': 'teapot' } });
  expect(answer.body.toString()).toBe('short');
});

test('an answer that ends by closing is whole', async () => {
  expect((await askOnce({ closeDelimited: true, body: '{"id":1}' })).body.toString()).toBe(
    '{"id":1}',
  );
});

test('an answered request is forgotten: neither its signal nor its time holds it', async () => {
  await using server = await openHostileServer({ body: '{}' });
  const { signal } = new AbortController();
  const askForgotten = async () => {
    const onStart = () => true;
    await ask(server.url, signal, onStart);
    return new WeakRef(onStart);
  };
  const asked = await askForgotten();
  await agent.destroy();
  const find = () => {
    collectGarbage();
    return asked.deref();
  };
  await expect.poll(find).toBeUndefined();
  expect(signal.aborted).toBe(false);
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

describe('a broken connection is an error', () => {
  test.each<[string, Reaction]>([
    ['reset before the head', { reset: 'before head' }],
    ['reset within the body', { reset: 'within body', body: '{"id":"7"}' }],
    ['closed before the announced length', { truncate: 'content-length', body: '{"id":"7"}' }],
    ['closed before the last chunk', { truncate: 'chunked', body: '{"id":"7"}' }],
  ])('%s', async (_how, reaction) => {
    await expect(askOnce(reaction)).rejects.toThrow();
  });
});

test('large error bodies are read or dropped, so that a pool of two goes on', async () => {
  await using server = await openHostileServer({ status: 500, body: 'x'.repeat(900_000) });
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(server.url)));
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(500));
  expect(server.connections()).toBe(2);
});

test('an error is taken by its status even when its body has no end', async () => {
  const answer = await askOnce({ status: 401, body: 'x'.repeat(100_000), endless: true });
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

test('an abort ends the wait for a silent server with its own reason', async () => {
  await using server = await openHostileServer({ neverAnswer: true });
  const controller = new AbortController();
  const answer = ask(server.url, controller.signal, () => {
    controller.abort(new Error('enough'));
    return true;
  });
  await expect(answer).rejects.toThrow('enough');
});

test('a request that is given up before it has a connection never leaves', async () => {
  await using server = await openHostileServer({ body: '{}' });
  const controller = new AbortController();
  let hasStarted = false;
  const answer = ask(server.url, controller.signal, () => {
    hasStarted = true;
    return true;
  });
  controller.abort(new Error('enough'));
  await expect(answer).rejects.toThrow('enough');
  await ask(server.url);
  expect(hasStarted).toBe(false);
  expect(server.seen).toHaveLength(1);
});

test('a body of several bytes in several languages is put together unharmed', async () => {
  const body = JSON.stringify({ name: 'Ångström 株式会社 🏢'.repeat(20_000) });
  expect((await askOnce({ body })).body.toString()).toBe(body);
});

test('an answer that is not whole in time is given up', async () => {
  await using server = await openHostileServer({ drip: 'body', body: 'slow'.repeat(1_000) });
  const answer = ask(server.url, undefined, undefined, 50);
  await expect(answer).rejects.toThrow(TimeOverError);
});

test('the time stands still for an answer that is held back', async () => {
  const body = 'x'.repeat(900_000);
  await using server = await openHostileServer({ body });
  const request = { method: 'GET', origin: server.url, path: '/', headers: {} } as const;
  let held = 0;
  const bodies = Object.assign(openLargeBodies(1), {
    mayGrow: (_share: object, goOn: () => void) => {
      if (held > 0) return true;
      held += 1;
      setTimeout(goOn, 400);
      return false;
    },
  });
  const { signal } = new AbortController();
  const limits = { timeoutMs: 200, maxBodyBytes, bodies, share: { isLarge: false } };
  const options = { signal, ...limits, onStart: () => true };
  const answer = await exchange(agent, request, options);
  expect(held).toBe(1);
  expect(answer.body.length).toBe(body.length);
});

test('an answer that is held back is given up by an abort', async () => {
  await using server = await openHostileServer({ body: 'x'.repeat(900_000) });
  const request = { method: 'GET', origin: server.url, path: '/', headers: {} } as const;
  const controller = new AbortController();
  const mayGrow = () => {
    setImmediate(() => controller.abort(new Error('enough')));
    return false;
  };
  const bodies = Object.assign(openLargeBodies(1), { mayGrow });
  const { signal } = controller;
  const limits = { timeoutMs: 30_000, maxBodyBytes, bodies, share: { isLarge: false } };
  const options = { signal, ...limits, onStart: () => true };
  await expect(exchange(agent, request, options)).rejects.toThrow('enough');
  expect((await ask(server.url)).body.length).toBe(900_000);
});

test('what came while the process stood still is read before time is called', async () => {
  const stand = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  const server = createServer((socket) => {
    socket.on('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate');
      stand();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { body } = await ask(`http://127.0.0.1:${port}`, undefined, undefined, 100);
  expect(body.toString()).toBe('late');
  server.close();
});
