import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { problems } from '../../src/core/contract/problem.ts';
import {
  faultyService,
  type LoadedService,
  loadedService,
  testKey,
} from '../support/loaded-service.ts';
import { runDossier, startService } from '../support/run-dossier.ts';

describe('a service', () => {
  let served: LoadedService;
  beforeAll(async () => {
    served = await loadedService('--key', 'second-key');
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test.each([testKey, 'second-key'])('takes each of its keys: %s', async (key) => {
    const answer = await served.get('/company?id=c_full', { authorization: `Bearer ${key}` });
    expect(answer.status).toBe(200);
    const shouted = await served.get('/company?id=c_full', { authorization: `BEARER ${key}` });
    expect(shouted.status).toBe(200);
  });

  test.each([
    ['', problems.KEY_MISSING],
    ['Bearer', problems.KEY_MISSING],
    ['Bearer  ', problems.KEY_MISSING],
    [`Basic ${testKey}`, problems.KEY_MISSING],
    [testKey, problems.KEY_MISSING],
    [`Bearer ${testKey}x`, problems.KEY_WRONG],
    [`Bearer ${testKey.slice(0, -1)}`, problems.KEY_WRONG],
    [`Bearer ${testKey.toUpperCase()}`, problems.KEY_WRONG],
    [`Bearer ${testKey} ${testKey}`, problems.KEY_WRONG],
  ])('refuses %j with 401', async (authorization, problem) => {
    for (const answer of [
      await served.get('/company?id=c_full', { authorization }),
      await served.search({ companyId: 'c_full' }, { authorization }),
    ]) {
      expect(answer).toMatchObject({ status: 401, body: problem });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test.each(['/', '/companies', '/company/c_full', '/people', '/../etc/passwd', '/COMPANY'])(
    'an unknown path is a 404: %s',
    async (path) => {
      expect(await served.get(path)).toMatchObject({ status: 404, body: problems.PATH_UNKNOWN });
    },
  );

  test.each([
    ['/company', 'POST', 'GET, HEAD'],
    ['/company', 'DELETE', 'GET, HEAD'],
    ['/company', 'OPTIONS', 'GET, HEAD'],
    ['/people/search', 'GET', 'POST'],
    ['/people/search', 'PUT', 'POST'],
    ['/healthz', 'POST', 'GET, HEAD'],
  ])('%s does not take %s', async (path, method, allow) => {
    const answer = await served.send(path, { method });
    expect(answer).toMatchObject({ status: 405, body: problems.METHOD_NOT_ALLOWED });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each([
    ['GARBAGE\r\n\r\n', 400, problems.REQUEST_MALFORMED],
    ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, problems.REQUEST_MALFORMED],
    ['GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n', 417, problems.EXPECTATION_UNMET],
    ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, problems.METHOD_NOT_ALLOWED],
    ['GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400, problems.URL_MALFORMED],
    [
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      problems.HEADERS_TOO_LARGE,
    ],
  ])('answers broken HTTP with the error object: %#', async (bytes, status, problem) => {
    const answer = await sendRaw(served.service.url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toEqual(problem);
  });

  test('a chunked body over the limit is a 413 too', async () => {
    const size = 64 * 1024;
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    const head = `POST /people/search HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await sendRaw(served.service.url, head + chunk.repeat(20));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test('every answer carries the security headers', async () => {
    for (const path of ['/company?id=c_full', '/company', '/nothing', '/healthz']) {
      const { headers } = await served.get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('health and the OpenAPI document need no key', async () => {
    const health = await served.send('/healthz', {});
    expect(health).toMatchObject({
      status: 200,
      body: { status: 'ok', companies: 9, people: 263 },
    });
    const document = await served.send('/openapi.json', {});
    expect(document).toMatchObject({ status: 200, body: { openapi: '3.1.1' } });
  });
});

test('requests above the rate get 429, each key for itself, and are granted again later', async () => {
  await using served = await loadedService('--rate', '5', '--key', 'other');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => served.get('/company?id=c_full')),
  );
  const granted = answers.filter((answer) => answer.status === 200);
  const refused = answers.filter((answer) => answer.status === 429);
  expect([granted.length, refused.length]).toEqual([5, 3]);
  expect(granted[0]?.headers.get('ratelimit-policy')).toBe('"default";q=5;w=1');
  expect(granted[0]?.headers.get('ratelimit')).toMatch(/^"default";r=\d;t=1$/);
  for (const { body, headers } of refused) {
    expect(body).toEqual(problems.TOO_MANY_REQUESTS);
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('ratelimit')).toBe('"default";r=0;t=1');
  }
  const other = await served.get('/company?id=c_full', { authorization: 'Bearer other' });
  expect(other.status).toBe(200);
  await sleep(1_050);
  expect((await served.get('/company?id=c_full')).status).toBe(200);
});

test('every request is logged, also when SIGTERM follows at once', async () => {
  await using served = await loadedService('--log-format', 'json');
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => served.get('/company?id=c_full')),
  );
  expect(await served.service.stop('SIGTERM')).toBe(0);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(served.service.log().match(/"event":"request\.answered"/g)).toHaveLength(200);
  expect(served.service.log()).toContain('service.stopped');
});

test('SIGTERM lets requests in flight finish, takes no new connection and exits 0', async () => {
  await using served = await faultyService({ latencyMs: [3_000, 3_000] });
  const inFlight = served.get('/company?id=c_full');
  await sleep(500);
  const stopped = served.service.stop('SIGTERM');
  await vi.waitFor(() => expect(fetch(`${served.service.url}/healthz`)).rejects.toThrow(), 2_000);
  expect((await inFlight).status).toBe(200);
  expect(await stopped).toBe(0);
  expect(served.service.log()).toContain('service.stopped');
});

test('without a key on loopback one is generated, printed once, and works', async () => {
  await using service = await startService([]);
  expect(service.key).toMatch(/^[\w-]{32}$/);
  const headers = { authorization: `Bearer ${service.key}` };
  const answer = await fetch(`${service.url}/company?id=none`, { headers });
  expect(answer.status).toBe(404);
  expect(service.log()).not.toContain(service.key);
});

test('without a key only loopback is served', async () => {
  const { exitCode, stderr } = await runDossier(['serve', '--host', '0.0.0.0', '--port', '0']);
  expect(exitCode).toBe(64);
  expect(stderr).toContain('0.0.0.0 can be reached by others: give a key');
  expect(stderr).toContain('--key-file');
});

test('a port that is taken is an error with a remedy', async () => {
  await using service = await startService([]);
  const port = new URL(service.url).port;
  const { exitCode, stderr } = await runDossier(['serve', '--port', port]);
  expect(exitCode).toBe(64);
  expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use; stop the other program`);
});

/** Sends bytes that no HTTP client would and reads until the service closes. */
function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes('}')) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}
