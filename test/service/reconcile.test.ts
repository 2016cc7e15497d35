import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { problems } from '../../src/engine/providers/company-data/problem.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { forgetEntities } from '../../src/register/forget-entities.ts';
import { loadRegister } from '../../src/register/load-register.ts';
import { openRegister } from '../../src/register/open-register.ts';
import { followRegister, reconcileSecret } from '../../src/service/reconcile.ts';
import { type LoadedService, loadedService, testKey } from '../support/loaded-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = join(folder.path, 'register.db');
const own = join(folder.path, 'own.db');
const address = `/reconcile/${reconcileSecret(testKey)}`;
let register: ReturnType<typeof followRegister>;
let served: LoadedService;

beforeAll(async () => {
  await loadRegister(file, [packagePath('fixtures/register/20260630_Public01.xml')], {
    withIndividuals: true,
  });
  copyFileSync(file, own);
  register = followRegister(file);
  served = await loadedService({ register: register.current });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  register[Symbol.dispose]();
  folder[Symbol.dispose]();
});

/** What the JSON schemas of the specification (version 0.2) require of an answer. */
const id = z.string().min(1);
const Named = z.object({ id, name: z.string().min(1), description: z.string().optional() });
const Type = Named.extend({ broader: z.array(Named).optional() });
const TypeOrId = z.union([z.object({ id, name: z.string().optional() }), z.string()]);
const Service = z.object({ service_url: z.url(), service_path: z.string() });
const template = z.object({ url: z.string().includes('{{id}}') });
const shapes = {
  manifest: z.object({
    versions: z.array(z.string()).refine((versions) => versions.includes('0.2')),
    name: z.string().min(1),
    identifierSpace: z.url(),
    schemaSpace: z.url(),
    serviceVersion: z.string(),
    defaultTypes: z.array(Type),
    view: template,
    batchSize: z.int().positive(),
    suggest: z.object({ entity: Service, property: Service, type: Service }),
    extend: z.object({ propose_properties: Service, property_settings: z.array(z.never()) }),
    attribution: z.array(z.string()),
  }),
  results: z.record(
    z.string(),
    z.strictObject({
      result: z.array(
        z.strictObject({
          ...Named.shape,
          score: z.number(),
          match: z.boolean(),
          type: z.array(TypeOrId).min(1),
        }),
      ),
    }),
  ),
  entities: z.object({ result: z.array(Named.extend({ notable: z.array(TypeOrId) })) }),
  properties: z.object({ result: z.array(Named) }),
  types: z.object({ result: z.array(Type) }),
  proposals: z.object({ type: id, properties: z.array(Named) }),
  extension: z.strictObject({
    meta: z.array(z.strictObject({ id, name: z.string() })),
    rows: z.record(z.string(), z.record(z.string(), z.array(z.strictObject({ str: z.string() })))),
  }),
};

type Answer<Name extends keyof typeof shapes> = z.output<(typeof shapes)[Name]>;

function parsed<Name extends keyof typeof shapes>(name: Name, body: unknown) {
  return shapes[name].parse(body) as Answer<Name>;
}

async function get<Name extends keyof typeof shapes>(name: Name, path = '') {
  const { status, headers, body } = await served.send(address + path, {});
  expect(status).toBe(200);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  return parsed(name, body);
}

/** As OpenRefine sends it: a form, to the address that the user gave. */
function post(form: Record<string, unknown>, path = address) {
  const fields = Object.entries(form).map(([name, value]) => [name, JSON.stringify(value)]);
  return served.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    body: new URLSearchParams(fields as [string, string][]),
  });
}

async function ask(query: Record<string, unknown>) {
  const { status, body } = await post({ queries: { q0: query } });
  expect(status).toBe(200);
  const { q0 } = parsed('results', body);
  return q0?.result ?? [];
}

const at = (state: string, postcode: string) => [
  { pid: 'state', v: state },
  { pid: 'postcode', v: postcode },
];

describe('the manifest', () => {
  test('has what the specification requires, and who must be named', async () => {
    const manifest = await get('manifest');
    expect(manifest.attribution).toEqual([expect.stringContaining('Australian Business Register')]);
    expect(manifest.view.url).toContain('abr.business.gov.au');
    expect(await get('manifest', '/')).toEqual(manifest);
  });

  test('has addresses that answer, at the name by which the service was asked', async () => {
    const { suggest, extend } = await get('manifest');
    for (const { service_url, service_path } of [
      ...Object.values(suggest),
      extend.propose_properties,
    ]) {
      expect(service_url).toBe(served.url + address);
      expect((await fetch(`${service_url}${service_path}?prefix=a&type=b`)).status).toBe(200);
    }
    const behindProxy = await served.send(address, { headers: { 'x-forwarded-proto': 'https' } });
    expect(parsed('manifest', behindProxy.body).suggest.type.service_url).toMatch(/^https:/);
  });
});

test('answers are scripts for an OpenRefine that asks so, with any harmless callback', async () => {
  const { body: manifest } = await served.send(address, {});
  const asked = await fetch(`${served.url}${address}?callback=jQuery1_2&_=3`);
  expect(asked.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(asked.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(await asked.text()).toBe(`/**/jQuery1_2(${JSON.stringify(manifest)});`);
  const proposed = await fetch(`${served.url}${address}/properties?type=&callback=f`);
  const [, json = ''] = /^\/\*\*\/f\((.*)\);$/.exec(await proposed.text()) ?? [];
  expect(parsed('proposals', JSON.parse(json)).type).toBe('organisation');
  const harmful = await fetch(`${served.url}${address}?callback=alert(1)//`);
  expect(harmful.headers.get('content-type')).toMatch(/^application\/json/);
});

describe('a query', () => {
  test('matches exactly what a run accepts', async () => {
    using names = openRegister(file);
    const places = [undefined, ['WA', '6000'], ['NSW', '2000']] as const;
    const asked = ['Nettlemere Foods', 'Nettlerow Cloud Pty. Limited', 'Nettlemere', 'Labs'].concat(
      names.suggest('Thistlemere Orchards', {}, 5).map(({ foundName }) => foundName),
    );
    let matches = 0;
    for (const query of asked) {
      for (const place of places) {
        const result = await ask({ query, properties: place ? at(place[0], place[1]) : [] });
        const expected = names.resolve(query, place ? { state: place[0], postcode: place[1] } : {});
        const chosen = 'chosen' in expected ? expected.chosen.map(({ value }) => value) : [];
        expect(result.filter(({ match }) => match).map((one) => one.id)).toEqual(chosen);
        matches += chosen.length;
        const scores = result.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      }
    }
    expect(matches).toBeGreaterThan(5);
  });

  test('of a name that two companies have is decided by state or postcode', async () => {
    const open = await ask({ query: 'Nettlemere Foods' });
    expect(open.slice(0, 2).map((one) => one.id)).toEqual(['11928867823', '13907257809']);
    expect(open.some(({ match }) => match)).toBe(false);
    const [first] = await ask({
      query: 'NETTLEMERE FOODS',
      type: 'organisation',
      type_strict: 'should',
      properties: at('South Australia', '5100'),
    });
    expect(first).toMatchObject({ id: '13907257809', match: true, score: 100 });
    expect(first?.description).toBe(
      'SA 5100, Australian Private Company, same name, same postcode',
    );
  });

  test('by an ABN finds its company', async () => {
    expect(await ask({ query: '11 928 867 823' })).toMatchObject([
      { id: '11928867823', name: 'NETTLEMERE FOODS PTY LTD', match: true },
    ]);
  });

  test('may restrict types and other properties, which never makes a match', async () => {
    const query = 'Nettlerow Cloud';
    const [plain] = await ask({ query });
    expect(plain?.match).toBe(true);
    expect(await ask({ query, type: 'Family Partnership', type_strict: 'any' })).toEqual([]);
    const types = ['organisation', 'Australian Private Company'];
    expect(await ask({ query, type: types, type_strict: 'all' })).toContainEqual(plain);
    for (const change of [
      { type: 'Family Partnership' },
      { properties: [{ pid: 'status', v: 'cancelled' }] },
      { properties: [{ pid: 'acn', v: ['123 456 789', { id: '1', name: 'x' }] }] },
    ]) {
      const [first] = await ask({ query, ...change });
      expect(first).toMatchObject({ id: plain?.id, match: false, score: 80 });
    }
    expect(await ask({ query, properties: [{ pid: 'unknown', v: 'x' }] })).toContainEqual(plain);
  });

  test('has at most as many candidates as it asks for', async () => {
    expect(await ask({ query: 'Nettlemere Foods', limit: 1 })).toHaveLength(1);
    expect(await ask({ query: 'Nettlemere Foods', limit: 1e9 })).not.toHaveLength(0);
    expect(await ask({ properties: at('NSW', '2000') })).toEqual([]);
  });

  test('of a batch is answered under its own name, also by GET', async () => {
    const queries = { a: { query: 'Nettlerow Cloud' }, b: { query: 'zzzz' } };
    const { body } = await post({ queries });
    expect(Object.keys(parsed('results', body))).toEqual(['a', 'b']);
    const search = new URLSearchParams({ queries: JSON.stringify(queries) });
    expect(await get('results', `?${search}`)).toEqual(body);
  });
});

describe('suggestions', () => {
  test('of entities follow what is typed', async () => {
    const { result } = await get('entities', '/suggest/entity?prefix=nettlem');
    expect(result[0]?.name).toBe('NETTLEMERE FOODS PTY LTD');
    const rest = await get('entities', '/suggest/entity?prefix=nettlem&cursor=1');
    expect(rest.result[0]).toEqual(result[1]);
    const byId = await get('entities', '/suggest/entity?prefix=11928867823');
    expect(byId.result.map((one) => one.id)).toEqual(['11928867823']);
  });

  test('of properties and types', async () => {
    expect((await get('properties', '/suggest/property?prefix=p')).result).toContainEqual({
      id: 'postcode',
      name: 'Postcode',
    });
    const { result } = await get('types', '/suggest/type?prefix=australian%20private');
    expect(result).toEqual([
      { id: 'Australian Private Company', name: 'Australian Private Company' },
    ]);
    const proposed = await get('proposals', '/properties?type=organisation&limit=2');
    expect(proposed).toMatchObject({ type: 'organisation', properties: [{}, {}] });
  });
});

test('the fields of the register extend what was matched', async () => {
  const extend = {
    ids: ['11928867823', '57000000000'],
    properties: ['status', 'entity_type', 'gst', 'acn', 'none'].map((one) => ({ id: one })),
  };
  const { body } = await post({ extend });
  expect(parsed('extension', body)).toEqual({
    meta: [
      { id: 'status', name: 'Status' },
      { id: 'entity_type', name: 'Entity type' },
      { id: 'gst', name: 'GST' },
      { id: 'acn', name: 'ACN' },
      { id: 'none', name: 'none' },
    ],
    rows: {
      '11928867823': {
        status: [{ str: 'active' }],
        entity_type: [{ str: 'Australian Private Company' }],
        gst: [{ str: 'active' }],
        acn: [{ str: '928867823' }],
        none: [],
      },
      '57000000000': { status: [], entity_type: [], gst: [], acn: [], none: [] },
    },
  });
});

describe('the key', () => {
  test('is needed in the header, or as its secret in the address', async () => {
    expect(await served.get('/reconcile')).toMatchObject({ status: 200 });
    expect(await served.send('/reconcile', {})).toMatchObject({
      status: 401,
      body: problems.KEY_MISSING,
    });
    for (const wrong of [testKey, reconcileSecret('other'), address.slice(-5)]) {
      for (const path of ['', '/suggest/entity?prefix=nettle', '/properties?type=x']) {
        const answer = await served.send(`/reconcile/${wrong}${path}`, {});
        expect(answer).toMatchObject({ status: 401, body: problems.KEY_WRONG });
      }
    }
  });

  test('is not opened by the secret, which is not logged', async () => {
    const secret = reconcileSecret(testKey);
    const answer = await served.send('/company?id=c_full', {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(answer.status).toBe(401);
    await get('manifest');
    expect(served.log()).toContain('/reconcile/<secret>');
    expect(served.log()).not.toContain(secret);
  });

  test('is not needed to learn that browsers may ask', async () => {
    const { status, headers } = await served.send('/reconcile/x', { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-headers')).toContain('authorization');
  });
});

test.each([
  [{ queries: 'x' }, 400, problems.QUERIES_INVALID],
  [{ queries: [1] }, 400, problems.QUERIES_INVALID],
  [{ queries: { q0: { query: 1 } } }, 400, problems.QUERIES_INVALID],
  [{ extend: { ids: ['1'] } }, 400, problems.QUERIES_INVALID],
  [{ other: 1 }, 400, problems.QUERIES_INVALID],
  [
    { queries: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, { query: 'a' }])) },
    413,
    problems.TOO_MANY_QUERIES,
  ],
])('%o is refused', async (form, status, body) => {
  expect(await post(form)).toMatchObject({ status, body });
});

test('a forgotten company is gone at once', async () => {
  using followed = followRegister(own);
  const lookUp = () => followed.current().find('abn', '11928867823');
  expect(lookUp()).toBeDefined();
  expect(await forgetEntities(own, ['abn 11928867823'], false)).toBe(1);
  expect(lookUp()).toBeUndefined();
});

test('without a register there is no /reconcile', async () => {
  await using plain = await loadedService();
  expect(await plain.get('/reconcile')).toMatchObject({ status: 404 });
});
