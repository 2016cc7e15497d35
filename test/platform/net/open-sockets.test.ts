import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSockets } from '../../../src/platform/net/open-sockets.ts';
import { openHostileServer } from '../../support/hostile-server.ts';

beforeEach(() => {
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
});
afterEach(() => void vi.unstubAllEnvs());

async function ask(address: string): Promise<string> {
  const { origin, pathname: path } = new URL(address);
  const sockets = openSockets(new URL(address), { concurrency: 2, timeoutMs: 5_000 });
  try {
    const { body } = await sockets.request({ method: 'GET', origin, path });
    return await body.text();
  } finally {
    await sockets.destroy();
  }
}

/** On this machine, but no loopback address by its name. */
const byAnotherName = (url: string) => url.replace('127.0.0.1', '0.0.0.0');

test('a host in NO_PROXY is called directly', async () => {
  await using proxy = await openHostileServer({ body: 'proxied' });
  await using service = await openHostileServer({ body: 'direct' });
  vi.stubEnv('HTTP_PROXY', proxy.url);
  expect(await ask(byAnotherName(service.url))).toBe('proxied');
  vi.stubEnv('NO_PROXY', '0.0.0.0');
  expect(await ask(byAnotherName(service.url))).toBe('direct');
});

test('a loopback address is never sent to a proxy', async () => {
  await using proxy = await openHostileServer({ body: 'proxied' });
  await using service = await openHostileServer({ body: 'direct' });
  vi.stubEnv('HTTP_PROXY', proxy.url);
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await ask(service.url.replace('127.0.0.1', host))).toBe('direct');
  }
});

test('an invalid proxy address stops the run before it begins', () => {
  vi.stubEnv('HTTPS_PROXY', 'not an address');
  expect(() =>
    openSockets(new URL('https://api.example.com'), { concurrency: 1, timeoutMs: 1 }),
  ).toThrow(expect.objectContaining({ code: 'SERVICE_MISSING' }));
});
