import { expect, test } from 'vitest';
import { probeService } from '../../../src/engine/client/probe-service.ts';
import { companyData } from '../../../src/engine/providers/company-data/company-data.ts';
import type { Probe, Provider } from '../../../src/engine/providers/provider.ts';
import { openHostileServer, type Reaction } from '../../support/hostile-server.ts';

const key = 'secret-key-1234';
const problem = (error: number | string, message = '') => JSON.stringify({ error, message });

async function probe(reaction: Reaction, provider = companyData) {
  await using server = await openHostileServer(reaction);
  try {
    const options = {
      provider,
      baseUrl: `${server.url}/v1`,
      key,
      timeoutMs: reaction.neverAnswer ? 300 : 30_000,
      rate: 10,
    };
    const { finding } = await probeService(options, []);
    return { found: finding, seen: server.seen };
  } catch (error) {
    return { found: (error as { code?: string }).code, error: error as Error, seen: server.seen };
  }
}

test.each<[string, Reaction]>([
  ['accepted', { status: 400, body: problem(400, 'unsupported country') }],
  ['unsure', { status: 404, body: problem(404, 'Not Found') }],
  ['unsure', { status: 405, body: '' }],
  ['throttled', { status: 429, headers: { 'retry-after': '60' } }],
  ['KEY_REFUSED', { status: 401, body: problem(401, `wrong key ${key}`) }],
  ['QUOTA_SPENT', { status: 402, body: problem(402, 'no credits left') }],
  ['SERVICE_MISSING', { status: 200, body: '<html>Welcome</html>' }],
  ['SERVICE_MISSING', { status: 302, headers: { location: 'https://elsewhere.example/' } }],
  ['SERVICE_DOWN', { status: 502, body: '<html>Bad gateway</html>' }],
  ['SERVICE_DOWN', { neverAnswer: true }],
])('%s is what it makes of %j', async (expected, reaction) => {
  const { found, error, seen } = await probe(reaction);
  expect(found).toBe(expected);
  expect(error?.message ?? '').not.toContain(key);
  // One request with the key, for nothing that could be charged.
  expect(seen).toMatchObject([
    { path: '/v1/company?country=ZZ', headers: { authorization: `Bearer ${key}` } },
  ]);
});

test('the provider decides what an answer shows, and whether a probe is free', async () => {
  const providerWith = (changes: Partial<Probe>): Provider => ({
    ...companyData,
    requests(access) {
      const requests = companyData.requests(access);
      return { ...requests, probe: () => ({ ...requests.probe(), ...changes }) };
    },
  });
  const foreign = providerWith({ findingOf: () => 'foreign' });
  expect(await probe({ status: 400 }, foreign)).toMatchObject({ found: 'SERVICE_MISSING' });
  const charged = providerWith({ mayBeCharged: true });
  expect(await probe({}, charged)).toEqual({ found: 'unasked', seen: [] });
});
