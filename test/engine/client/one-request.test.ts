import { type AddressInfo, createServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { CallRequest, noBudget } from '../../../src/engine/client/call-request.ts';
import { makeAttempt } from '../../../src/engine/client/make-attempt.ts';
import { type ClientOptions, openParts } from '../../../src/engine/client/open-client.ts';
import { companyData } from '../../../src/engine/providers/company-data/company-data.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import {
  companyCall,
  noAbort,
  openTestClient,
  peopleCall,
} from '../../support/client-under-test.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';
import { makeCertificate } from '../../support/make-certificate.ts';
import { testWhere } from '../../support/needs.ts';

const hit = { body: '{"id":"7"}' };
const gzip = { 'content-encoding': 'gzip' };

async function sendOnce(url: string, options: Partial<ClientOptions> = {}) {
  await using client = openTestClient(url, { attempts: 1, ...options });
  return await client.send(companyCall, noAbort);
}

test.each<[string, Reaction]>([
  ['silence', { neverAnswer: true }],
  ['a head that drips', { drip: 'head', body: '{}' }],
  ['a body that drips', { drip: 'body', body: JSON.stringify({ id: 'x'.repeat(500) }) }],
  ['one redirect after the other', { status: 307, headers: { location: '/x' }, delayMs: 60 }],
])('the deadline holds against %s', async (_how, reaction) => {
  await using server = await openHostileServer(reaction);
  const reason = 'no complete answer within the time allowed';
  expect(await sendOnce(server.url, { timeoutMs: 120, clock: systemClock })).toMatchObject({
    reason,
  });
});

test('a dead address and one with another protocol are reported', async () => {
  const closed = await openHostileServer({});
  await closed[Symbol.asyncDispose]();
  expect(await sendOnce(closed.url)).toMatchObject({ reason: 'connection refused' });
  // A label of 64 letters fails in the resolver itself, so no name server is asked.
  const reason = expect.stringMatching(/^host name/);
  expect(await sendOnce(`http://${'x'.repeat(64)}.invalid/`)).toMatchObject({ reason });
  const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const outcome = await sendOnce(`http://127.0.0.1:${port}/`);
  server.close();
  expect(outcome).toMatchObject({ reason: 'answer is not HTTP' });
});

testWhere('openssl')('a certificate that is not to be trusted gets no request', async () => {
  await using server = await openHostileServer(hit, makeCertificate('IP:127.0.0.1'));
  const reason = 'certificate not trusted: self-signed';
  expect(await sendOnce(server.url)).toMatchObject({ reason });
  expect(server.seen).toHaveLength(0);
});

test('an answer in gzip, in two parts of it, or in Brotli is read', async () => {
  const parts = Buffer.concat([gzipSync('{"id"'), gzipSync(':"7"}')]);
  const bodies = { GZIP: parts, br: brotliCompressSync(hit.body) };
  for (const [encoding, body] of Object.entries(bodies)) {
    await using server = await openHostileServer({
      headers: { 'content-encoding': encoding },
      body,
    });
    expect(await sendOnce(server.url)).toMatchObject({ kind: 'hit' });
  }
});

test.each<[string, Reaction]>([
  ['cannot be unpacked', { headers: gzip, body: 'not gzip' }],
  ['unpacks to too much', { headers: gzip, body: gzipSync(Buffer.alloc(2_000_000)) }],
  ['has no end', { body: 'x'.repeat(100_000), endless: true }],
])('an error whose body %s still has its status', async (_how, reaction) => {
  await using server = await openHostileServer({ ...reaction, status: 401 });
  const refused = sendOnce(server.url, { maxBodyBytes: 1_000_000 });
  await expect(refused).rejects.toMatchObject({ code: 'KEY_REFUSED' });
});

test('a redirected search arrives with method, body and key at another path, if the status keeps them', async () => {
  await using server = await openHostileServer(({ path }, index) =>
    path === '/v2/search'
      ? { body: '[]' }
      : { status: index === 0 ? 307 : 302, headers: { location: '/v2/search' } },
  );
  await using client = openTestClient(server.url, { attempts: 1 });
  expect(await client.send(peopleCall, noAbort)).toMatchObject({ kind: 'hit', attempts: 1 });
  const [first, second] = server.seen;
  expect(JSON.parse(first?.body ?? '')).toEqual({
    companyId: '7',
    selectedCountry: 'AU',
    from: '0',
    size: '50',
  });
  expect(second).toMatchObject({ method: 'POST', body: first?.body });
  expect(second?.headers.authorization).toBe('Bearer secret-key-1234');
  const reason = 'HTTP 302, a redirect that turns POST into GET';
  expect(await client.send(peopleCall, noAbort)).toMatchObject({ kind: 'failed', reason });
});

test('a redirect to another host is not followed', async () => {
  await using other = await openHostileServer(hit);
  const location = `${other.url}/company`;
  await using server = await openHostileServer({ status: 307, headers: { location } });
  const reason = `HTTP 307 to another host, ${other.url}`;
  expect(await sendOnce(server.url)).toMatchObject({ kind: 'failed', reason });
  expect(other.connections()).toBe(0);
});

test('a request whose socket was ready too late takes another permit', async () => {
  await using server = await openHostileServer(hit);
  const limits = { rate: 'none', concurrency: 2, attempts: 1, maxWaitMs: 5_000 } as const;
  const options = {
    provider: companyData,
    baseUrl: server.url,
    key: 'secret',
    timeoutMs: 5_000,
    ...limits,
  };
  await using parts = openParts(options, undefined);
  const released: number[] = [];
  let taken = 0;
  parts.permits.take = async () => {
    taken += 1;
    const number = taken;
    return { start: () => number === 3, release: () => void released.push(number) };
  };
  const { verdict } = await makeAttempt(parts, new CallRequest(companyCall, noBudget), noAbort);
  expect(verdict.kind).toBe('hit');
  expect([released, server.seen.length, server.connections()]).toEqual([[1, 2], 1, 1]);
});

test('no more calls are on the wire than the job allows', async () => {
  let onTheWire = 0;
  let most = 0;
  await using server = await openHostileServer(async () => {
    onTheWire += 1;
    most = Math.max(most, onTheWire);
    await systemClock.sleep(5);
    onTheWire -= 1;
    return hit;
  });
  await using client = openTestClient(server.url, { concurrency: 3 });
  await Promise.all(Array.from({ length: 12 }, () => client.send(companyCall, noAbort)));
  expect([most, server.connections()]).toEqual([3, 3]);
});
