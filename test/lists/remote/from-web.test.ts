import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openInput } from '../../../src/lists/open-input.ts';
import { openSource, type SourceOptions } from '../../../src/lists/remote/open-source.ts';
import { listAddress } from '../../../src/platform/files/local-path.ts';
import { openConnectProxy } from '../../support/connect-proxy.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';
import { makeCertificate } from '../../support/make-certificate.ts';
import { testWhere } from '../../support/needs.ts';

const list = `website\n${'acme.com\n'.repeat(500)}`;

beforeEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});
afterEach(() => void vi.unstubAllEnvs());

/** Reads what lies at an address, with waits that a test has time for. */
async function read(address: string, options: SourceOptions = {}) {
  const place = listAddress(address) ?? address;
  const source = await openSource(place, { firstWaitMs: 1, timeoutMs: 5_000, ...options });
  const text = (await Array.fromAsync(source.bytes)).map(String).join('');
  await source.close();
  return { text, name: source.name };
}

/** What a reading of a server that behaves so ends with. */
async function troubleOf(
  reaction: Parameters<typeof openHostileServer>[0],
  limits: { timeoutMs?: number } = {},
  path = '/leads.csv',
) {
  await using server = await openHostileServer(reaction);
  const shown = new URL(path, server.url);
  const trouble = await read(shown.href, limits).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  const message = trouble?.message.replaceAll(server.url, 'SERVER');
  return { code: trouble?.code, message, requests: server.seen.length };
}

describe('a list on the web', () => {
  test('may be compressed, on the way or as a file', async () => {
    const reactions: Record<string, Reaction> = {
      '/leads.csv.gz': { body: gzipSync(list) },
      '/leads.csv': { body: gzipSync(list), headers: { 'content-encoding': 'gzip' } },
      '/never.csv': { body: list, headers: { 'content-encoding': 'gzip' } },
    };
    await using server = await openHostileServer(({ path }) => reactions[path] ?? {});
    for (const path of Object.keys(reactions)) {
      expect((await read(server.url + path)).text === list, path).toBe(true);
    }
    expect(server.seen.every(({ headers }) => headers['accept-encoding'] === 'identity')).toBe(
      true,
    );
  });
});

describe('a list that does not come whole', () => {
  test.each<[string, Reaction]>([
    ['cut before its last chunk', { body: list, truncate: 'chunked' }],
    ['shorter than its length', { body: list, truncate: 'content-length' }],
    ['hung up on', { hangUp: true }],
  ])('%s is fetched again, and never used in part', async (_, broken) => {
    await using server = await openHostileServer((_request, index) =>
      index < 2 ? broken : { body: list },
    );
    const { text } = await read(`${server.url}/leads.csv`);
    expect(text === list).toBe(true);
    expect(server.seen).toHaveLength(3);
    const { code, message, requests } = await troubleOf(broken);
    expect({ code, requests }).toEqual({ code: 'INPUT_DOWN', requests: 4 });
    expect(message).toMatch(/^SERVER\/leads\.csv cannot be fetched: /);
  });

  test('without a length is refused', async () => {
    expect(await troubleOf({ body: list, closeDelimited: true })).toMatchObject({
      code: 'INPUT_UNREADABLE',
      message: expect.stringContaining('neither Content-Length nor chunks'),
      requests: 1,
    });
  });

  test('since nothing comes any more is given up', async () => {
    const silent = await troubleOf({ neverAnswer: true }, { timeoutMs: 200 });
    expect(silent).toMatchObject({ code: 'INPUT_DOWN', requests: 4 });
    expect(silent.message).toContain('no answer in time');
  });

  test('since the user has stopped it ends at once', async () => {
    const stop = new AbortController();
    await using server = await openHostileServer(() => {
      stop.abort(new Error('stopped'));
      return { neverAnswer: true };
    });
    const reading = read(`${server.url}/leads.csv`, { signal: stop.signal });
    await expect(reading).rejects.toThrow('stopped');
    expect(server.seen).toHaveLength(1);
  });
});

describe('an answer without a list', () => {
  test.each<[number, string, string, number]>([
    [401, 'INPUT_REFUSED', 'needs a user and password', 1],
    [403, 'INPUT_REFUSED', 'the signature may have expired', 1],
    [404, 'INPUT_UNREADABLE', 'does not exist', 1],
    [418, 'INPUT_UNREADABLE', 'returned no list', 1],
    [429, 'INPUT_DOWN', 'is unavailable at the moment', 4],
  ])('HTTP %i ends with %s', async (status, code, words, requests) => {
    const found = await troubleOf({ status, body: 'website\nacme.com\n' });
    expect(found).toMatchObject({ code, requests });
    expect(found.message).toContain(words);
    expect(found.message).toContain(`(HTTP ${status})`);
  });

  test('but with a page to sign in is refused by name', async () => {
    const page = '\n<!DOCTYPE html>\n<html><title>Sign in</title></html>';
    await using login = await openHostileServer({ body: page });
    const location = `${login.url}/login?token=c0ffee99`;
    await using server = await openHostileServer({ status: 302, headers: { location } });
    const opening = openInput(`${server.url}/leads.csv`);
    await expect(opening).rejects.toMatchObject({
      code: 'INPUT_UNREADABLE',
      message: expect.stringMatching(/^\S+\/leads\.csv is a web page, not a list: [^?]*$/),
    });
  });
});

describe('redirects', () => {
  test('are followed, and no other host sees user and password', async () => {
    await using other = await openHostileServer({ body: list });
    await using server = await openHostileServer(({ path }) => ({
      status: 307,
      headers: { location: path === '/a.csv' ? '/b.csv' : `${other.url}/c.csv?sig=c0ffee99` },
    }));
    const { host } = new URL(server.url);
    const { text, name } = await read(`http://reader:hunter22@${host}/a.csv`);
    expect(text === list).toBe(true);
    expect(name).toBe(`http://${host}/a.csv`);
    expect(server.seen.every(({ headers }) => headers.authorization !== undefined)).toBe(true);
    expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test.each([
    ['/leads.csv', 'is redirected more than 5 times', 6],
    ['http://lists.invalid/leads.csv', 'http:// is allowed only for this machine', 1],
    ['ftp://127.0.0.1/leads.csv', 'ftp:// is not supported', 1],
    ['http://', 'is redirected without a valid target URL', 1],
  ])('to %s are not followed', async (location, words, requests) => {
    const found = await troubleOf({ status: 302, headers: { location } });
    expect(found).toMatchObject({ code: 'INPUT_UNREADABLE', requests });
    expect(found.message).toContain(words);
  });

  testWhere('openssl')('from https never lead to http', async () => {
    await using plain = await openHostileServer({ body: list });
    await using proxied = await openTrusted({ status: 302, headers: { location: plain.url } });
    await expect(read(proxied.address)).rejects.toThrow(
      'which is not followed: that URL is not encrypted',
    );
    expect(plain.seen).toEqual([]);
  });
});

describe('https', () => {
  testWhere('openssl')('is read through the proxy of the environment', async () => {
    await using proxied = await openTrusted({ body: list });
    expect((await read(proxied.address)).text === list).toBe(true);
    expect(proxied.asked()).toEqual(['lists.invalid:443']);
    vi.stubEnv('HTTPS_PROXY', 'not an address');
    await expect(read(proxied.address)).rejects.toMatchObject({ code: 'SERVICE_MISSING' });
  });

  testWhere('openssl')('is refused at once if its certificate is not trusted', async () => {
    const tls = makeCertificate('IP:127.0.0.1');
    await using server = await openHostileServer({ body: list }, tls);
    await expect(read(`${server.url}/leads.csv`)).rejects.toMatchObject({
      code: 'INPUT_UNREADABLE',
      message: `${server.url}/leads.csv cannot be fetched: certificate not trusted: self-signed; to trust the certificates of your company, name their file in NODE_EXTRA_CA_CERTS`,
    });
  });
});

/** A server with a certificate that this process trusts, reached by a name through a proxy. */
async function openTrusted(reaction: Reaction) {
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls');
  const tls = makeCertificate('DNS:lists.invalid');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, String(tls.cert)]);
  const server = await openHostileServer(reaction, tls);
  const proxy = await openConnectProxy({ port: Number(new URL(server.url).port) });
  vi.stubEnv('HTTPS_PROXY', proxy.url);
  return {
    address: 'https://lists.invalid/leads.csv',
    asked: () => proxy.asked.map(({ host }) => host),
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(trusted);
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Serves chunks without end, one after each wait. */
async function openEndless(chunk: string, waitMs: number) {
  const server = createServer(async (_, response) => {
    while (!response.destroyed) {
      response.write(chunk);
      await delay(waitMs);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const limits = { mostBytes: 100_000, mostMs: 60_000 };

test('a list that never ends is refused when it is too large, and not tried again', async () => {
  using endless = await openEndless('acme.com\n'.repeat(1_000), 0);
  await expect(read(`${endless.url}/leads.csv`, { limits })).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringMatching(
      /leads\.csv has more than 100,000 bytes, the most that .+: check the URL/,
    ),
  });
  const body = 'x'.repeat(100_001);
  await using large = await openHostileServer(() => ({ body }));
  const told = read(`${large.url}/leads.csv`, { limits });
  await expect(told).rejects.toMatchObject({ code: 'INPUT_UNREADABLE' });
  expect(large.seen).toHaveLength(1);
});
