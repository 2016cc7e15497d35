import { describe, expect, test } from 'vitest';
import { createAdapter } from '../../../../src/engine/providers/adapter/adapter.ts';
import type { AdapterDefinition } from '../../../../src/engine/providers/adapter/definition.ts';
import { companyCall } from '../../../support/client-under-test.ts';

const definition: AdapterDefinition = {
  name: 'second',
  url: 'https://api.second.example/v1',
  auth: { header: 'X-Api-Key' },
  headers: { 'x-api-version': '2' },
  company: { fqdn: { method: 'GET', path: '/find', query: { domain: '{value}' } } },
  answers: {
    miss: [
      { status: 404 },
      { status: 200, where: 'data', is: 'empty' },
      { status: 200, where: 'found', is: false },
    ],
    quota: [{ status: 400, where: 'error.code', is: 'NO_CREDITS' }],
  },
  charged: 'hits',
  record: 'data.0',
  fields: {
    id: { paths: ['uuid'] },
    name: { paths: ['name'] },
    website: { paths: ['site.url', 'domain'] },
    fqdn: { paths: ['domain'] },
    'industry_codes.abn': { paths: ['codes.abn'] },
    hq_location: { paths: ['geo.city', 'geo.state', 'geo.country'], joinedBy: ', ' },
  },
};
const adapter = createAdapter(definition);

const acme = {
  uuid: 'u1',
  name: 'Acme',
  domain: 'acme.com.au',
  tagline: 'M',
  site: { url: '', rank: 3 },
  codes: { abn: 51824753556 },
  geo: { city: 'Perth', state: null, country: 'AU', lat: 1 },
};

function judge(status: number, body: unknown, changes: Partial<AdapterDefinition> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status, headers: {}, body: Buffer.from(text) };
  return createAdapter({ ...definition, ...changes }).judge(companyCall, answer, false);
}

function requestFor(changes: Partial<AdapterDefinition>, value = "a/b c&d='.au", key = 'k&1') {
  const access = { baseUrl: new URL(definition.url), key, headers: {} };
  const call = { ...companyCall, identifier: { kind: 'fqdn', value } } as const;
  return createAdapter({ ...definition, ...changes })
    .requests(access)
    .requestFor(call);
}

describe('a request', () => {
  test('has the value percent-encoded, and the key in the header that the adapter names', () => {
    const { path, headers } = requestFor({});
    expect(path).toBe('/v1/find?domain=a%2Fb%20c%26d%3D%27.au');
    expect(headers).toMatchObject({ 'x-api-key': 'k&1', 'x-api-version': '2' });
  });

  test.each([
    ['bearer', { authorization: 'Bearer k&1' }, ''],
    ['basic', { authorization: `Basic ${btoa('k&1:')}` }, ''],
    [{ query: 'api_key' }, {}, '?api_key=k%261'],
  ] as const)('carries the key by %j', (auth, headers, query) => {
    const company = { fqdn: { method: 'GET', path: '/by/{value}', query: {} } } as const;
    const request = requestFor({ auth, company }, '..');
    expect(request.headers).toMatchObject(headers);
    expect(request.path).toBe(`/v1/by/%2E%2E${query}`);
  });

  test('fills the value into every text of a body', () => {
    const body = { domains: ['{value}'], limit: 1 };
    const company = { fqdn: { method: 'POST', path: '/find', query: {}, body } } as const;
    const request = requestFor({ company }, 'a"b');
    expect(request).toMatchObject({ method: 'POST', body: '{"domains":["a\\"b"],"limit":1}' });
  });
});

describe('an answer', () => {
  test.each([
    [404, '', 'miss'],
    [200, { data: [] }, 'miss'],
    [200, { data: null }, 'miss'],
    [200, { found: false }, 'miss'],
    [200, { data: [acme] }, 'hit'],
    [200, { data: [{ name: 'Acme' }] }, 'unreadable'],
    // Nothing says that there is no company.
    [200, { status: 'maintenance' }, 'unreadable'],
    [200, { items: [] }, 'unreadable'],
    [200, [], 'unreadable'],
    // An id that is not of a company.
    [200, { id: 'request-1', error: 'odd' }, 'unreadable'],
    // What the adapter does not name follows the usual rules.
    [200, '{"data": [', 'transient'],
    [200, { success: false, error: 'Too many requests' }, 'throttled'],
    [200, { error: { code: 'x', message: 'quota exceeded' } }, 'quota'],
    [400, { error: { code: 'NO_CREDITS' } }, 'quota'],
    [400, { error: 'bad domain' }, 'invalid'],
    [401, '', 'refused'],
    [402, '', 'quota'],
    [429, '', 'throttled'],
    [500, '', 'transient'],
    [410, '', 'unproven'],
  ])('%i %j is %s', (status, body, kind) => {
    expect(judge(status, body).kind).toBe(kind);
  });

  test('with a rule by a field says which value it had, if it says nothing else', () => {
    const verdict = judge(400, { error: { code: 'NO_CREDITS' } });
    expect(verdict).toEqual({ kind: 'quota', message: 'error.code is NO_CREDITS' });
  });

  test.each([{ fault: 'bad_path' }, { message: 'No company was found' }, ''])(
    'with a status of a rule for misses is a miss only by that rule: %j',
    (body) => {
      const miss = [{ status: 404, where: 'fault', is: 'unknown_number' }];
      expect(judge(404, { fault: 'unknown_number' }, { answers: { miss } }).kind).toBe('miss');
      expect(judge(404, body, { answers: { miss } })).toEqual({
        kind: 'unreadable',
        reason: 'HTTP 404, but no `miss` rule of the adapter second fits',
      });
    },
  );

  test('that cannot be read is named with the path that did not fit', () => {
    expect(judge(200, { results: [] })).toHaveProperty(
      'reason',
      'the adapter second cannot read the answer: no company at data.0',
    );
    expect(judge(200, { data: [{}] })).toHaveProperty(
      'reason',
      expect.stringContaining('no id at uuid'),
    );
  });

  test('gives the company its id and its other identifiers', () => {
    const json = { data: [acme] };
    expect(judge(200, json)).toEqual({ kind: 'hit', companyId: 'u1' });
    expect(adapter.identifiers(json)).toMatchObject({
      abn: '51824753556',
      fqdn: 'acme.com.au',
      website: 'acme.com.au',
    });
  });
});

test('a record has our fields, and all that was paid for besides', () => {
  expect(adapter.record({ data: [acme] })).toEqual({
    id: 'u1',
    name: 'Acme',
    website: 'acme.com.au',
    fqdn: 'acme.com.au',
    industry_codes: { abn: 51824753556 },
    hq_location: 'Perth, AU',
    // A field that was empty is not among them.
    site: { rank: 3 },
    geo: { lat: 1 },
    // Their tagline need not be ours.
    second_tagline: 'M',
  });
});

test('other rules for answers and other fields have other versions', () => {
  const versions = [{}, { answers: {} }, { record: 'data' }, { fields: { id: { paths: ['id'] } } }]
    .map((changes) => createAdapter({ ...definition, ...changes }).version)
    .map(({ judging, record }) => [judging, record]);
  expect(new Set(versions.map(([judging]) => judging)).size).toBe(4);
  const { fields } = definition;
  const renamed = createAdapter({
    ...definition,
    fields: { ...fields, tagline: { paths: ['t'] } },
  });
  expect(renamed.version.judging).toBe(adapter.version.judging);
  expect(renamed.version.record).not.toBe(adapter.version.record);
});
