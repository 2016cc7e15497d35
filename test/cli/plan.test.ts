import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PlanJson } from '../../src/facts/plan.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const domains = ['alpha', 'beta', 'gamma', 'unknown1', 'unknown2'].map(
  (name) => `${name}-test.com`,
);

function openPlans(files: Record<string, string>, env: Record<string, string>) {
  const folder = openFolder(files, env);
  const plan = async (line: string) => {
    const { stdout, stderr, exitCode } = await folder.dossier(`plan --json ${line}`);
    expect(exitCode, stderr).toBe(0);
    return PlanJson.parse(JSON.parse(stdout));
  };
  return { ...folder, plan };
}

const list = (values: readonly string[]) => `website\n${values.join('\n')}\n`;

describe('a plan', () => {
  test('says how many calls the run then makes', async () => {
    await using service = await openSmallService();
    const values = [...domains, 'https://www.ALPHA-test.com/about', 'not a domain', 'x@gmail.com'];
    using at = openPlans({ 'leads.csv': list(values) }, service.env);

    const plan = await at.plan('leads.csv');
    expect(plan.rows).toEqual({
      total: 8,
      kinds: { fqdn: 6 },
      rejects: { freemail: 1, not_a_domain: 1 },
      duplicates: 1,
      open: 6,
      suppressed: 0,
    });
    expect(plan.calls).toMatchObject({ expected: 5, most: 6, repeats: 1 });
    expect(service.seen).toHaveLength(0);
    expect(existsSync(join(at.path, 'output'))).toBe(false);

    await at.dossier('run leads.csv');
    expect(service.seen).toHaveLength(plan.calls.companies);
    expect((await at.dossier('plan leads.csv')).stdout).toMatch(/^time +none$/m);
  });

  test('that fails says why on standard output, too', async () => {
    using at = openPlans({ 'leads.csv': 'website\n' }, { DOSSIER_URL: 'http://127.0.0.1:9' });
    const { stdout, exitCode } = await at.dossier('plan --json leads.csv');
    expect(JSON.parse(stdout)).toMatchObject({ exitCode, reason: 'LIST_EMPTY' });
  });
});

test('a plan shows one worst case, within every budget, and expects what the job found before', async () => {
  await using service = await openSmallService();
  const price = 'price: {company: 0.12, people: 0.02, currency: AUD, charged: hits}';
  const settings = ['name: leads', 'input: {path: leads.csv}', 'people: {maxPerCompany: 50}'];
  const job = (...more: string[]) =>
    `${[...settings, `service: {${price}}`, ...more].join('\n')}\n`;
  const files = { 'leads.csv': list(domains.slice(1)), 'leads.yaml': job() };
  using at = openPlans(files, service.env);
  const shown = async () => (await at.dossier('plan leads.yaml')).stdout;

  expect(await at.plan('leads.yaml')).toMatchObject({
    calls: { expected: null, most: 14, companies: 4, people: 8, repeats: 2 },
    price: { currency: 'AUD', expected: null, most: 0.78 },
  });
  expect(await shown()).toMatch(
    /^calls expected +no history yet; at least 4 calls, and 1 more for each[^$]*^price at most +AUD 0\.78$/m,
  );
  expect(await shown()).toMatch(
    /^budget +none; --max-calls 14 would limit a start to these calls$/m,
  );

  expect((await at.dossier('plan leads.yaml --max-spend 0.12')).stdout).toMatch(
    /^budget +AUD 0\.12 a start$/m,
  );

  at.write('leads.yaml', job('budget: {perDay: 6, perMonth: 100}'));
  expect(await at.plan('leads.yaml')).toMatchObject({
    calls: { most: 6 },
    price: { most: 0.62 },
    budget: { left: 6, verdict: 'perhaps' },
  });
  expect(await shown()).toMatch(
    /^calls at most +6, if all are found: no budget counts free misses, and\n +the list may need 14$/m,
  );
  expect(Math.max(...(await shown()).split('\n').map(({ length }) => length))).toBeLessThan(81);

  at.write('leads.yaml', job());
  await at.dossier('run leads.yaml');
  at.write('leads.csv', list(['delta-test.com', 'epsilon-test.com']));
  // One of two lookups found a company, and its people needed two calls.
  expect(await at.plan('leads.yaml')).toMatchObject({
    calls: { expected: 4 },
    price: { expected: 0.16 },
  });
});

test('a plan uses the learned rate and the rest of the daily budget', async () => {
  const notFound = { status: 404, body: '{"error":404,"message":"Company not found"}' };
  const throttled = { status: 429, headers: { 'retry-after': '1' } };
  await using service = await openHostileServer((_request, index) =>
    index === 0 ? throttled : notFound,
  );
  const env = { DOSSIER_URL: service.url, DOSSIER_API_KEY: 'key-of-the-tests' };
  const job = 'name: leads\ninput: {path: leads.csv}\nlimits: {rate: 50}\nbudget: {perDay: 5}\n';
  using at = openPlans({ 'job.yaml': job, 'leads.csv': list(domains.slice(0, 2)) }, env);
  expect(await at.plan('job.yaml')).toMatchObject({
    rate: { perSecond: 50, ceiling: 50, reason: 'ceiling' },
    budget: { perDay: 5, spentToday: 0, left: 5, freeAt: null, verdict: 'enough' },
    calls: { expected: 2, most: 3 },
  });
  await at.dossier('run job.yaml');
  at.write('leads.csv', list([...domains, 'zeta-test.com']));
  const { rate, seconds, budget, calls } = await at.plan('job.yaml');
  expect(rate).toMatchObject({ ceiling: 50, reason: 'throttled' });
  const perSecond = rate.perSecond ?? 0;
  expect(perSecond).toBeGreaterThanOrEqual(25);
  expect(perSecond).toBeLessThan(50);
  expect(calls).toMatchObject({ companies: 4, most: 3 });
  expect(seconds?.most).toBeCloseTo(3 / perSecond);
  expect(budget).toMatchObject({ spentToday: 2, spentThisMonth: 2, left: 3, verdict: 'short' });
  expect(Date.parse(budget?.freeAt ?? '')).toBeGreaterThan(Date.now());
  const { stdout } = await at.dossier('plan job.yaml');
  expect(stdout).toMatch(
    /^time .* calls a second\n +lowered from 50 because the service throttled/m,
  );
  expect(stdout).toMatch(/^budget +5 calls a day, 2 spent\n.*\n +3 left; the budget resets at \d/m);
});

test('a column with hardly any identifier is named beside one that has them, and one with none is refused', async () => {
  const rows = domains.map((domain, at) => `${at === 0 ? domain : 'Jane'},${domain},Firm ${at}`);
  const files = { 'leads.csv': `contact,site,company\n${rows.join('\n')}\n` };
  using at = openPlans(files, { DOSSIER_URL: 'http://127.0.0.1:9' });
  const { notes } = await at.plan('leads.csv --column contact');
  expect(notes).toContain(
    '"contact" identifies 1 of the first 5 rows. "site" (Domain) would identify 5: --column site.',
  );
  at.write(
    'other.csv',
    `abn,Netz,parent site\n57961803396,Acme.com.au,one.com.au\n,Beta.com.au,two.com.au\n`,
  );
  expect((await at.plan('other.csv')).notes).toContain(
    'Not used, although most rows have an identifier there: "Netz". To use it: --column abn --column Netz.',
  );
  const refused = await at.dossier('plan leads.csv --column company');
  expect(refused.exitCode).toBe(65);
  expect(refused.stderr).toMatch(
    /"company" identifies 0 .* company names\. "site" .* load a register/,
  );
  const wrongKind = await at.dossier('plan leads.csv --column site --as abn');
  expect(wrongKind.exitCode).toBe(65);
  expect(wrongKind.stderr).toContain(
    '"site" identifies 0 of the first 5 rows. Read as Domain, it would identify 5: --as fqdn.',
  );
  expect((await at.plan('leads.csv --column site')).notes.join()).not.toContain('would identify');
});

test('people searches are expected only from the same searches of the job', async () => {
  await using service = await openSmallService();
  const job = (name: string, more = '') => `name: ${name}\ninput: {path: leads.csv}\n${more}`;
  const people = (...levels: number[]) => `people: {seniority: [${levels}]}\n`;
  const files = { 'leads.csv': list(domains), 'a.yaml': job('a', people(1)), 'b.yaml': job('b') };
  using at = openPlans(files, service.env);
  const planned = async (text: string) => {
    at.write('b.yaml', job('b', text));
    return (await at.plan('b.yaml')).calls;
  };
  await at.dossier('run a.yaml');
  const unknown = { expected: null, companies: 0 };
  // Three companies are known, each with two searches of at least one page.
  expect(await planned(people(2, 3))).toMatchObject({ ...unknown, certain: 6, perFound: 0 });
  await at.dossier('run b.yaml');
  at.write('leads.csv', list([...domains, 'delta-test.com']));
  expect(await planned(people(2, 3))).toMatchObject({ expected: 3, companies: 1 });
  expect(await planned(people(2, 4))).toMatchObject({ expected: null, companies: 1, certain: 4 });
  expect(await planned(people(2, 3, 4))).toMatchObject({ expected: null, perFound: 3 });
});

test('after a stop, a plan expects the searches that each company still needs', async () => {
  await using service = await openSmallService();
  const job = 'name: leads\ninput: {path: leads.csv}\npeople: {seniority: [1, 2, 3]}\n';
  using at = openPlans({ 'leads.csv': list(domains), 'leads.yaml': job }, service.env);
  await at.dossier('run leads.yaml --max-calls 12');
  const { calls, answered } = await at.plan('leads.yaml');
  expect(answered).toEqual({ companies: 3, misses: 2, peoplePages: 7 });
  await at.dossier('run leads.yaml');
  // Five lookups found three companies, with three searches of two pages.
  expect(service.seen).toHaveLength(5 + 3 * 3 * 2);
  const left = 5 + 3 * 3 * 2 - 12;
  expect(calls.expected).toBeGreaterThanOrEqual(left);
  // Of each company, one page of an open search may be known.
  expect(calls.expected).toBeLessThanOrEqual(left + 3);
});
