import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countries } from '../../../src/core/contract/countries.ts';
import { problems } from '../../../src/core/contract/problem.ts';
import { type LoadedService, loadedService, testKey } from '../../support/loaded-service.ts';
import { companies, fullCompany } from '../../support/store-data.ts';

let served: LoadedService;
beforeAll(async () => {
  served = await loadedService();
});
afterAll(() => served[Symbol.asyncDispose]());

async function idFoundBy(query: Record<string, string>): Promise<unknown> {
  const { status, body } = await served.get(`/company?${new URLSearchParams(query)}`);
  return status === 200 ? (body as { id: string }).id : body;
}

test('every field comes back as it was loaded, also those the interface does not name', async () => {
  const { status, headers, text } = await served.get('/company?id=c_full');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(text).toBe(JSON.stringify(fullCompany));
});

test('null and absent fields stay null and absent', async () => {
  const { body } = await served.get('/company?id=c_reserved');
  expect(body).toEqual(companies[3]);
});

test.each([
  [{ id: 'c_full' }],
  [{ abn: '13914571672' }],
  [{ fqdn: 'otautahi-dairy-sample.co.nz' }],
  [{ website: 'https://www.otautahi-dairy-sample.co.nz/en/' }],
  [{ ln_slug: 'otautahi-dairy' }],
  [{ ln_url: 'https://www.linkedin.com/company/otautahi-dairy' }],
])('a company is found by %j', async (query) => {
  expect(await idFoundBy(query)).toBe('c_full');
});

test.each([
  [{ abn: 'ABN 13 914 571 672' }],
  [{ abn: 'ACN 914 571 672' }],
  [{ abn: '13 914 571 672 / 001' }],
  [{ fqdn: 'WWW.Otautahi-Dairy-Sample.CO.NZ.' }],
  [{ fqdn: 'shop.otautahi-dairy-sample.co.nz' }],
  [{ fqdn: 'hello@otautahi-dairy-sample.co.nz' }],
  [{ website: 'otautahi-dairy-sample.co.nz' }],
  [{ website: 'http://otautahi-dairy-sample.co.nz:8080/a?b=c' }],
  [{ ln_slug: 'Otautahi-Dairy' }],
  [{ ln_slug: 'https://nz.linkedin.com/company/otautahi-dairy/about/' }],
  [{ ln_url: 'nz.linkedin.com/company/OTAUTAHI-DAIRY?trk=x' }],
  [{ ln_url: '/company/otautahi-dairy' }],
])('identifiers are cleaned as people write them: %j', async (query) => {
  expect(await idFoundBy(query)).toBe('c_full');
});

test('a domain finds the company whose website it is, where no domain is stored', async () => {
  expect(await idFoundBy({ fqdn: 'small-sample.com.au' })).toBe('c_small');
  expect(await idFoundBy({ website: 'small-sample.com.au/contact' })).toBe('c_small');
});

test('the fuller host comes before the domain it belongs to', async () => {
  expect(await idFoundBy({ fqdn: 'shop.small-sample.com.au' })).toBe('c_host');
  expect(await idFoundBy({ fqdn: 'blog.small-sample.com.au' })).toBe('c_small');
});

test('a domain outside the public suffixes is found as it was loaded', async () => {
  expect(await idFoundBy({ fqdn: 'reserved.example' })).toBe('c_reserved');
});

test('a numeric page of the network is found by its number', async () => {
  expect(await idFoundBy({ ln_url: 'https://www.linkedin.com/company/1035' })).toBe('c_numeric');
});

test('a page on a platform never stands for the platform', async () => {
  expect(await idFoundBy({ fqdn: 'facebook.com' })).toEqual(problems.COMPANY_UNKNOWN);
  expect(await idFoundBy({ website: 'facebook.com/other' })).toEqual(problems.COMPANY_UNKNOWN);
});

test('of companies that share a domain, the one of the given country comes first', async () => {
  expect(await idFoundBy({ fqdn: 'shared-sample.com' })).toBe('c_shared_au');
  expect(await idFoundBy({ fqdn: 'shared-sample.com', country: 'NZ' })).toBe('c_shared_nz');
  expect(await idFoundBy({ fqdn: 'shared-sample.com', country: 'JP' })).toBe('c_shared_au');
});

test('the network field is served as `network`, under whatever name it was loaded', async () => {
  const { body } = await served.get('/company?ln_slug=aliased');
  expect(body).toEqual({
    id: 'c_aliased',
    network: 'aliased',
    social_media: { network: 'aliased-social' },
  });
});

test('the first of id, abn, fqdn, website, ln_slug, ln_url decides', async () => {
  const identifiers = [
    ['id', 'c_small', 'c_small'],
    ['abn', '13914571672', 'c_full'],
    ['fqdn', 'shop.small-sample.com.au', 'c_host'],
    ['website', 'reserved.example', 'c_reserved'],
    ['ln_slug', 'aliased', 'c_aliased'],
    ['ln_url', 'https://www.linkedin.com/company/1035', 'c_numeric'],
  ] as const;
  for (const [place, [, , company]] of identifiers.entries()) {
    const rest = identifiers.slice(place).map(([kind, value]) => [kind, value] as const);
    // The order in which they are written makes no difference.
    expect(await idFoundBy(Object.fromEntries(rest.toReversed()))).toBe(company);
  }
});

test('an id is cleaned', async () => {
  expect(await idFoundBy({ id: '"c_full"' })).toBe('c_full');
});

test('a company without an ABN is found by the ABN of its ACN', async () => {
  expect(await idFoundBy({ abn: '065 475 149' })).toBe('c_numeric');
});

test('an identifier that decides is not replaced by another when it finds nothing', async () => {
  expect(await idFoundBy({ id: 'c_none', abn: '13914571672' })).toEqual(problems.COMPANY_UNKNOWN);
});

test('a blank identifier counts as absent', async () => {
  expect(await idFoundBy({ id: ' ', fqdn: '', abn: '13914571672' })).toBe('c_full');
});

describe('errors', () => {
  test.each(countries)('%s is supported', async (country) => {
    expect(await idFoundBy({ id: 'c_full', country })).toBe('c_full');
    expect(await idFoundBy({ id: 'c_full', country: country.toLowerCase() })).toBe('c_full');
  });

  test.each(['GB', 'XX', 'AUS', 'Australia', 'A', "AU'--"])(
    'country %s is a 400',
    async (country) => {
      const answer = await served.get(`/company?${new URLSearchParams({ id: 'c_full', country })}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(problems.COUNTRY_UNSUPPORTED);
    },
  );

  test.each(['/company', '/company?country=AU', '/company?domain=acme.com', '/company?id='])(
    'no identifier is a 400: %s',
    async (path) => {
      expect(await served.get(path)).toMatchObject({ status: 400, body: problems.NO_IDENTIFIER });
    },
  );

  test('a repeated parameter is a 400', async () => {
    expect(await served.get('/company?id=a&id=b')).toMatchObject({
      status: 400,
      body: problems.PARAMETER_REPEATED,
    });
  });

  test.each([
    { id: 'c_none' },
    { abn: '51824753556' },
    { abn: 'not a number' },
    { fqdn: 'unknown-sample.com' },
    { fqdn: 'not a domain' },
    { website: 'https://[broken' },
    { ln_slug: 'nobody' },
    { ln_url: 'https://www.linkedin.com/in/somebody' },
    { ln_slug: '%E0%A4%A' },
  ])('an unknown company is a 404: %j', async (query) => {
    const answer = await served.get(
      `/company?${new URLSearchParams(query as Record<string, string>)}`,
    );
    expect(answer).toMatchObject({ status: 404, body: problems.COMPANY_UNKNOWN });
  });

  test.each([
    "' or 1=1 --",
    "c_full' --",
    '" or ""="',
    '%',
    '_____',
    "c_full'; drop table company; --",
    "x' union select body from company --",
  ])('SQL in an identifier finds nothing: %j', async (text) => {
    for (const kind of ['id', 'abn', 'fqdn', 'website', 'ln_slug', 'ln_url']) {
      const answer = await served.get(`/company?${new URLSearchParams({ [kind]: text })}`);
      expect(answer).toMatchObject({ status: 404, body: problems.COMPANY_UNKNOWN });
    }
    expect(await idFoundBy({ id: 'c_full' })).toBe('c_full');
  });
});

test('the log has each request and never the key', async () => {
  await served.get(`/company?id=c_full&key=${testKey}`);
  expect(served.service.log()).toMatch(
    /request\.answered method=GET path=\/company status=200 ms=/,
  );
  expect(served.service.log()).not.toContain(testKey);
});
