import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { makeAttempt } from '../../../src/engine/client/make-attempt.ts';
import { openParts } from '../../../src/engine/client/open-client.ts';
import type { Permit } from '../../../src/engine/client/rate/permits.ts';
import { companyCall, noAbort } from '../../support/client-under-test.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';
import { makeCertificate } from '../../support/make-certificate.ts';
import { testWhere } from '../../support/needs.ts';

const freePermit: Permit = { start: () => true, release: () => {} };

interface Question {
  readonly method?: 'GET' | 'POST';
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxBodyBytes?: number;
  readonly takePermit?: () => Promise<Permit>;
}

async function ask(address: string, question: Question = {}) {
  const { method = 'GET', signal = noAbort, takePermit = async () => freePermit } = question;
  const { timeoutMs = 5_000, maxBodyBytes = 100_000 } = question;
  const { origin, pathname: path } = new URL(address);
  const limits = { rate: 'none', concurrency: 2, attempts: 1, maxWaitMs: 5_000 } as const;
  const options = { baseUrl: origin, key: 'secret', timeoutMs, maxBodyBytes, ...limits };
  await using parts = openParts(options, undefined);
  const body = method === 'POST' ? { body: '{"companyId":"7"}' } : {};
  const headers = { authorization: 'Bearer secret' };
  parts.permits.take = takePermit;
  parts.buildRequest = () => ({ method, origin, path, headers, ...body });
  const made = await makeAttempt(parts, companyCall, { isHeld: true }, signal);
  return { ...made.verdict, status: made.answer.status };
}

async function askOnce(reaction: Reaction, question: Question = {}) {
  await using server = await openHostileServer(reaction);
  return await ask(server.url, question);
}

describe('the deadline holds', () => {
  test.each<[string, Reaction]>([
    ['against silence', { neverAnswer: true }],
    ['against a head that drips', { drip: 'head', body: '{}' }],
    ['against a body that drips', { drip: 'body', body: JSON.stringify({ id: 'x'.repeat(500) }) }],
  ])('%s', async (_how, reaction) => {
    expect(await askOnce(reaction, { timeoutMs: 120 })).toMatchObject({
      kind: 'transient',
      reason: 'no whole answer within the time allowed',
    });
  });

  test('over all redirects of an attempt together', async () => {
    const hop = { status: 307, headers: { location: '/again' }, delayMs: 60 };
    expect(await askOnce(hop, { timeoutMs: 150 })).toMatchObject({
      kind: 'transient',
      reason: 'no whole answer within the time allowed',
    });
  });
});

describe('a broken exchange is told in a few words', () => {
  test.each<[string, Reaction, string]>([
    ['a reset before the head', { reset: 'before head' }, 'connection lost'],
    ['an end without a word', { hangUp: true }, 'connection lost'],
    ['a reset within the body', { reset: 'within body', body: '{"id":"7"}' }, 'connection lost'],
    ['a body cut short', { truncate: 'content-length', body: '{"id":"7"}' }, 'connection lost'],
    [
      'a compressed body cut short',
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"id":"7"}').subarray(0, 15) },
      'compressed answer cut short',
    ],
  ])('%s', async (_how, reaction, reason) => {
    expect(await askOnce(reaction)).toMatchObject({ kind: 'transient', reason });
  });

  test('no process listens', async () => {
    const server = await openHostileServer({});
    await server[Symbol.asyncDispose]();
    expect(await ask(server.url)).toMatchObject({
      kind: 'transient',
      reason: 'connection refused',
    });
  });

  test('the host has no address', async () => {
    // A label of 64 letters fails in the resolver itself, so no name server is asked.
    const result = await ask(`http://${'x'.repeat(64)}.invalid/`);
    expect(result).toMatchObject({
      kind: 'transient',
      reason: expect.stringMatching(/^host name/),
    });
  });

  test('the other side speaks something else', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const result = await ask(`http://127.0.0.1:${port}/`);
    server.close();
    expect(result).toMatchObject({ kind: 'transient', reason: 'answer is not HTTP' });
  });

  testWhere('openssl')('the certificate is not to be trusted', async () => {
    const tls = makeCertificate('IP:127.0.0.1');
    await using server = await openHostileServer({ body: '{"id":"7"}' }, tls);
    expect(await ask(server.url)).toMatchObject({
      kind: 'transient',
      reason: 'certificate not trusted: self-signed',
    });
    expect(server.seen).toHaveLength(0);
  });
});

describe('what would be paid for again is not asked again', () => {
  test('an answer over the limit', async () => {
    expect(await askOnce({ body: 'x'.repeat(200_000) })).toMatchObject({
      kind: 'oversized',
      reason: 'the answer has over 100000 bytes',
    });
  });
});

test('a small answer that unpacks to very many values is not asked for again', async () => {
  const body = gzipSync(`{"id":"7","odd":[${'{},'.repeat(200_000)}{}]}`);
  const headers = { 'content-encoding': 'gzip' };
  await using server = await openHostileServer({ headers, body });
  expect(await ask(server.url, { maxBodyBytes: 10_000_000 })).toMatchObject({
    kind: 'oversized',
    reason: 'the answer holds over 250000 values',
  });
});

test('an error whose body cannot be unpacked still has its status', async () => {
  const headers = { 'content-encoding': 'gzip' };
  const result = await askOnce({ status: 401, headers, body: 'not gzip' });
  expect(result).toMatchObject({ status: 401 });
});

describe('redirects', () => {
  test('a search arrives with method, body and key at another path of the same host', async () => {
    await using server = await openHostileServer(({ path }) =>
      path === '/v2/search' ? { body: '[]' } : { status: 307, headers: { location: '/v2/search' } },
    );
    const result = await ask(`${server.url}/people/search`, { method: 'POST' });
    expect(result).toMatchObject({ status: 200 });
    expect(server.seen[1]).toMatchObject({
      method: 'POST',
      path: '/v2/search',
      body: '{"companyId":"7"}',
      headers: { authorization: 'Bearer secret' },
    });
  });

  test('another host is not asked at all', async () => {
    await using other = await openHostileServer({ body: '{"id":"7"}' });
    const location = `${other.url}/company`;
    const result = await askOnce({ status: 307, headers: { location } });
    expect(result).toMatchObject({
      kind: 'unusable',
      reason: `HTTP 307 to another host, ${other.url}`,
    });
    expect(other.connections()).toBe(0);
  });

  test('a circle ends after five', async () => {
    await using server = await openHostileServer({ status: 302, headers: { location: '/' } });
    expect(await ask(server.url)).toMatchObject({
      kind: 'unusable',
      reason: 'more than 5 redirects',
    });
    expect(server.seen).toHaveLength(6);
  });

  test('every request takes a permit of its own', async () => {
    let taken = 0;
    const takePermit = async () => {
      taken += 1;
      return freePermit;
    };
    await using server = await openHostileServer((_request, index) =>
      index < 2 ? { status: 308, headers: { location: '/next' } } : { body: '{"id":"7"}' },
    );
    await ask(server.url, { takePermit });
    expect(server.seen).toHaveLength(3);
    expect(taken).toBe(3);
  });
});

test('a request whose socket was ready too late takes another permit', async () => {
  const released: number[] = [];
  let taken = 0;
  const takePermit = async () => {
    taken += 1;
    const number = taken;
    return { start: () => number === 3, release: () => void released.push(number) };
  };
  await using server = await openHostileServer({ body: '{}' });
  expect(await ask(server.url, { takePermit })).toMatchObject({ status: 200 });
  expect([taken, released, server.seen.length, server.connections()]).toEqual([3, [1, 2], 1, 1]);
});
