import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { problems } from '../../src/engine/providers/company-data/problem.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { type LoadedService, loadedService, testKey } from '../support/loaded-service.ts';
import { runDossier, startService } from '../support/run-dossier.ts';
import { companies, fullCompany, people } from '../support/store-data.ts';

let served: LoadedService;
beforeAll(async () => {
  served = await loadedService({ keys: [testKey, 'second-key'] });
});
afterAll(() => served[Symbol.asyncDispose]());

async function lookUp(query: Record<string, string>): Promise<unknown> {
  const { status, body } = await served.get(`/company?${new URLSearchParams(query)}`);
  return status === 200 ? (body as { id: string }).id : body;
}

describe('a company', () => {
  test('is returned as it was loaded, including unknown fields', async () => {
    const { status, headers, text } = await served.get('/company?id=c_full');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(text).toBe(JSON.stringify(fullCompany));
    expect((await served.get('/company?id=c_reserved')).body).toEqual(companies[3]);
  });

  test.each([
    [{ id: '"c_full"' }, 'c_full'],
    [{ abn: 'ACN 914 571 672' }, 'c_full'],
    [{ fqdn: 'hello@shop.Otautahi-Dairy-Sample.CO.NZ' }, 'c_full'],
    [{ website: 'https://www.otautahi-dairy-sample.co.nz/en/' }, 'c_full'],
    [{ ln_slug: 'Otautahi-Dairy' }, 'c_full'],
    [{ ln_url: 'https://nz.linkedin.com/company/otautahi-dairy/about/' }, 'c_full'],
    // A company without an ABN has that of its ACN, and one without a domain that of its website.
    [{ abn: '065 475 149' }, 'c_numeric'],
    [{ fqdn: 'small-sample.com.au' }, 'c_small'],
    // The fuller host comes before the domain it belongs to.
    [{ fqdn: 'shop.small-sample.com.au' }, 'c_host'],
    [{ fqdn: 'blog.small-sample.com.au' }, 'c_small'],
    [{ fqdn: 'reserved.example' }, 'c_reserved'],
    [{ ln_url: 'https://www.linkedin.com/company/1035' }, 'c_numeric'],
    // Of companies that share a domain, the one of the given country comes first.
    [{ fqdn: 'shared-sample.com' }, 'c_shared_au'],
    [{ fqdn: 'shared-sample.com', country: 'nz' }, 'c_shared_nz'],
    // A blank identifier counts as absent, and of several the first kind decides.
    [{ id: ' ', fqdn: '', abn: '13914571672' }, 'c_full'],
    [{ ln_slug: 'aliased', website: 'reserved.example' }, 'c_reserved'],
    [{ id: 'c_none', abn: '13914571672' }, problems.COMPANY_UNKNOWN],
    [{ fqdn: 'facebook.com' }, problems.COMPANY_UNKNOWN],
    [{ abn: 'not a number' }, problems.COMPANY_UNKNOWN],
    [{ id: 'c_full', country: 'GB' }, problems.COUNTRY_UNSUPPORTED],
    [{ country: 'AU' }, problems.NO_IDENTIFIER],
  ] as [Record<string, string>, unknown][])('is looked up by %j: %j', async (query, found) => {
    expect(await lookUp(query)).toEqual(found);
  });

  test('has the field `network`, under whatever name it was loaded', async () => {
    expect((await served.get('/company?ln_slug=aliased')).body).toEqual({
      id: 'c_aliased',
      network: 'aliased',
      social_media: { network: 'aliased-social' },
    });
  });
});

async function findPeople(search: Record<string, unknown>): Promise<string[]> {
  const { status, body } = await served.search({ companyId: 'c_full', size: '100', ...search });
  expect(status).toBe(200);
  return (body as { person_id: string }[]).map((person) => person.person_id);
}

type Loaded = { person_id: string; seniority: number; department: number; position?: string };

function expectedPeople(fits: (person: Loaded) => boolean = () => true): string[] {
  const all = people.filter((person) => person.company_id === 'c_full') as Loaded[];
  return all
    .filter(fits)
    .sort((a, b) => a.seniority - b.seniority || (a.person_id < b.person_id ? -1 : 1))
    .map((person) => person.person_id);
}

describe('people', () => {
  test('come without the fields that only loading needs', async () => {
    const { body } = await served.search({ companyId: 'c_full', size: '1' });
    const { company_id, seniority, department, ...match } = people[0] as Record<string, unknown>;
    expect(body).toEqual([match]);
  });

  test('come once each and in order, over pages of 90', async () => {
    const pages = [];
    for (const from of ['0', '90', '180', '270'])
      pages.push(await findPeople({ from, size: '90' }));
    expect(pages.map((page) => page.length)).toEqual([90, 90, 80, 0]);
    expect(pages.flat()).toEqual(expectedPeople());
  });

  test('are filtered by one field or several', async () => {
    const isHead = ({ position }: Loaded) => position === 'Head of Sales';
    expect(await findPeople({ seniority: '3', department: '3' })).toEqual(
      expectedPeople(({ seniority, department }) => seniority === 3 && department === 3),
    );
    expect(await findPeople({ seniority: 5, department: '9', position: 'Sales head' })).toEqual(
      expectedPeople((one) => one.seniority === 5 && one.department === 9 && isHead(one)),
    );
  });

  test.each([
    [{ position: 'SALES HEAD' }, 65],
    [{ position: 'naive cafe' }, 65],
    [{ position: 'Sale' }, 0],
    // Query syntax in a position is only words.
    [{ position: 'sales OR engineer' }, 0],
    [{ position: 'sal*' }, 0],
    [{ position: 'position:sales OR company:x' }, 0],
    [{ position: '***' }, 0],
    [{ size: undefined }, 10],
    [{ seniority: '', department: null, position: ' ' }, 100],
    [{ companyId: 'c_small', selectedCountry: 'jp' }, 1],
    [{ companyId: 'c_none' }, 0],
    [{ companyId: '" OR position : "sales', position: 'sales' }, 0],
  ])('%j finds %i', async (search, count) => {
    expect(await findPeople(search)).toHaveLength(count);
  });

  test.each([
    [{ companyId: '' }, problems.COMPANY_ID_MISSING],
    [{ seniority: 'C-Suite' }, problems.SENIORITY_UNKNOWN],
    [{ department: '18' }, problems.DEPARTMENT_UNKNOWN],
    [{ selectedCountry: 'GB' }, problems.COUNTRY_UNSUPPORTED],
    [{ from: '-1' }, problems.FROM_INVALID],
    [{ from: '1000000001' }, problems.FROM_INVALID],
    [{ size: '101' }, problems.SIZE_INVALID],
    [{ position: true }, problems.POSITION_INVALID],
    [{ position: 'a '.repeat(400_000) }, problems.POSITION_INVALID],
  ])('%j is a 400', async (change, body) => {
    const answer = await served.search({ companyId: 'c_full', ...change });
    expect(answer).toMatchObject({ status: 400, body });
  });

  test.each([
    ['{', 'application/json', 400, problems.BODY_NOT_JSON],
    ['{"__proto__": {"a": 1}}', 'application/json', 400, problems.BODY_NOT_JSON],
    [`"${'x'.repeat(3_000_000)}"`, 'application/json', 413, problems.BODY_TOO_LARGE],
    ['{"companyId":"c_full"}', 'text/plain', 415, problems.BODY_TYPE_UNSUPPORTED],
  ])('a body %#: %s is refused', async (text, type, status, body) => {
    expect(await served.search(text, { 'content-type': type })).toMatchObject({ status, body });
  });
});

describe('a request', () => {
  test.each([
    [`Bearer ${testKey}`, 200, undefined],
    ['BEARER second-key', 200, undefined],
    ['', 401, problems.KEY_MISSING],
    [`Basic ${testKey}`, 401, problems.KEY_MISSING],
    [`Bearer ${testKey}x`, 401, problems.KEY_WRONG],
    [`Bearer ${testKey} ${testKey}`, 401, problems.KEY_WRONG],
  ])('with %j is answered %i', async (authorization, status, problem) => {
    for (const answer of [
      await served.get('/company?id=c_full', { authorization }),
      await served.search({ companyId: 'c_full' }, { authorization }),
    ]) {
      expect(answer.status).toBe(status);
      if (problem) expect(answer.body).toEqual(problem);
      expect(answer.headers.get('www-authenticate')).toBe(problem ? 'Bearer' : null);
    }
  });

  test.each([
    ['GET', '/companies', 404, null],
    ['GET', '/COMPANY', 404, null],
    ['DELETE', '/company', 405, 'GET, HEAD'],
    ['GET', '/people/search', 405, 'POST'],
  ])('%s %s is a %i', async (method, path, status, allow) => {
    const body = status === 404 ? problems.PATH_UNKNOWN : problems.METHOD_NOT_ALLOWED;
    const answer = await served.send(path, { method });
    expect(answer).toMatchObject({ status, body });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('that is broken HTTP is refused, with the error object if its URL is the only error', async () => {
    expect(await sendRaw(served.url, 'GARBAGE\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    const large = `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`;
    expect(await sendRaw(served.url, large)).toMatch(/^HTTP\/1.1 431 /);
    const url = 'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw(served.url, url);
    expect(answer).toContain('x-content-type-options: nosniff');
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toEqual(problems.URL_MALFORMED);
  });

  test('gets the security headers, and is logged without query and key', async () => {
    const { headers } = await served.get(`/company?id=c_full&key=${testKey}`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(served.log()).toMatch(
      /"method":"GET","path":"\/company","status":200,.*request.answered/,
    );
    expect(served.log()).not.toContain(testKey);
  });

  test('for health or the OpenAPI document needs no key', async () => {
    expect(await served.send('/healthz', {})).toMatchObject({
      status: 200,
      body: { status: 'ok', companies: 9, people: 263 },
    });
    const openApi = readFileSync(packagePath('docs/openapi.json'), 'utf8');
    expect((await served.send('/openapi.json', {})).body).toEqual(JSON.parse(openApi));
  });

  test('above the rate gets 429, each key for itself, and is granted again later', async () => {
    await using limited = await loadedService({ rate: 5, keys: [testKey, 'other'] });
    const get = () => limited.get('/company?id=c_full');
    const answers = await Promise.all(Array.from({ length: 8 }, get));
    const [granted = [], refused = []] = [200, 429].map((status) =>
      answers.filter((answer) => answer.status === status),
    );
    expect([granted.length, refused.length]).toEqual([5, 3]);
    expect(refused[0]?.body).toEqual(problems.TOO_MANY_REQUESTS);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    const other = await limited.get('/company?id=c_full', { authorization: 'Bearer other' });
    expect(other.status).toBe(200);
    await expect.poll(async () => (await get()).status).toBe(200);
  });
});

test('a request in flight is answered before the service stops', async () => {
  await using service = await loadedService();
  const body = JSON.stringify({ companyId: 'c_full' });
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
  const inFlight = request(`${service.url}/people/search`, { method: 'POST', headers });
  const answered = once(inFlight, 'response');
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  subscribe('http.server.request.start', () => resolve());
  inFlight.write(body.slice(0, 5));
  await arrived;
  const stopped = service.stop();
  inFlight.end(body.slice(5));
  const [{ statusCode }] = await answered;
  expect(statusCode).toBe(200);
  await stopped;
});

describe('dossier serve', () => {
  test('makes a key on loopback and prints it once, and logs every request before it stops', async () => {
    await using service = await startService(['--log-format', 'json']);
    expect(service.key).toMatch(/^[\w-]{32}$/);
    const headers = { authorization: `Bearer ${service.key}` };
    const get = () => fetch(`${service.url}/company?id=none`, { headers });
    const answers = await Promise.all(Array.from({ length: 50 }, get));
    expect(await service.stop('SIGTERM')).toBe(0);
    await vi.waitFor(() => expect(fetch(`${service.url}/healthz`)).rejects.toThrow());
    expect(answers.every(({ status }) => status === 404)).toBe(true);
    expect(service.log().match(/"event":"request\.answered"/g)).toHaveLength(50);
    expect(service.log()).toContain('service.stopped');
    expect(service.log()).not.toContain(service.key);
  });

  test('serves others only with a key, and names a port that is taken', async () => {
    const open = await runDossier(['serve', '--host', '0.0.0.0', '--port', '0']);
    expect(open.exitCode).toBe(64);
    expect(open.stderr).toMatch(/other machines can reach 0\.0\.0\.0: set a key.*--key-file/);
    const { port } = new URL(served.url);
    const taken = await runDossier(['serve', '--port', port]);
    expect(taken.exitCode).toBe(64);
    expect(taken.stderr).toContain(`port ${port} of 127.0.0.1 is in use; stop the other program`);
  });
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
