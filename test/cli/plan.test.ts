import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/plan.ts';
import { PlanJson } from '../../src/ui/overview/plan.ts';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const domains = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((name) => `${name}-test.com`);

interface Workplace extends AsyncDisposable {
  readonly path: string;
  readonly service: HostileServer;
  write(name: string, text: string): string;
  run(...args: string[]): ReturnType<typeof runDossier>;
  plan(...args: string[]): Promise<PlanJson>;
}

/** A folder, and a service with the companies of some domains. */
async function openWorkplace(known: readonly string[]): Promise<Workplace> {
  const folder = temporaryFolder();
  const service = await openHostileServer(({ path }): Reaction => {
    const domain = new URL(path, 'http://service').searchParams.get('fqdn') ?? '';
    if (!known.includes(domain)) return { status: 404, body: '{"error":"Company not found"}' };
    return { body: JSON.stringify({ id: `c_${domain}`, fqdn: domain }) };
  });
  const env = { DOSSIER_URL: service.url, DOSSIER_API_KEY: 'key-of-the-tests' };
  const run = (...args: string[]) => runDossier(args, { cwd: folder.path, env });
  return {
    path: folder.path,
    service,
    run,
    write(name, text) {
      writeFileSync(join(folder.path, name), text);
      return name;
    },
    async plan(...args) {
      const { stdout, stderr, exitCode } = await run('plan', '--json', ...args);
      expect(exitCode, stderr).toBe(0);
      return PlanJson.parse(JSON.parse(stdout));
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const list = (values: readonly string[]) => `website\n${values.join('\n')}\n`;

describe('a plan', () => {
  test('says just how many calls the run of a plain list then makes', async () => {
    await using at = await openWorkplace(domains.slice(0, 3));
    const values = [...domains, 'https://www.ALPHA-test.com/about', 'not a domain', 'x@gmail.com'];
    at.write('leads.csv', list(values));

    const plan = await at.plan('leads.csv');
    expect(plan.rows).toEqual({
      total: 8,
      kinds: { fqdn: 6 },
      rejects: { freemail: 1, not_a_domain: 1 },
      duplicates: 1,
      open: 6,
      suppressed: 0,
    });
    expect(plan.calls).toMatchObject({ least: 5, mostIfFull: 5, most: 5 });
    expect(at.service.seen).toHaveLength(0);
    expect(existsSync(join(at.path, 'output'))).toBe(false);

    await at.run('run', 'leads.csv');
    expect(at.service.seen).toHaveLength(plan.calls.most);
    expect((await at.run('plan', 'leads.csv')).stdout).toMatch(/^time +none$/m);
  });

  test('goes on from an unfinished run, though its list is gone', async () => {
    await using at = await openWorkplace(domains);
    at.write('leads.csv', list([...domains, domains[0] ?? '']));
    await at.run('run', 'leads.csv', '--max-calls', '2');
    rmSync(join(at.path, 'leads.csv'));
    const ledger = readFileSync(join(at.path, 'output/ledger.db'));

    const plan = await at.plan('leads.csv', '--max-calls', '2');
    expect(plan.resumes).toMatchObject({ run: 'r1' });
    expect(plan.rows).toMatchObject({ total: 6, kinds: { fqdn: 6 }, duplicates: 1 });
    expect(plan.calls).toMatchObject({ least: 3, most: 3 });
    expect(plan.budget).toEqual({
      ...{ perStart: 2, perDay: null, perMonth: null, left: 2, freeAt: null, verdict: 'short' },
      ...{ spentToday: 2, spentThisMonth: 2 },
    });
    expect(readFileSync(join(at.path, 'output/ledger.db')).equals(ledger)).toBe(true);

    await at.run('run', 'leads.csv');
    expect(at.service.seen).toHaveLength(5);
  });

  test('reads well in eighty columns', async () => {
    const { stdout, stderr } = await runDossier(['plan', 'jobs/lead-list.yaml']);
    expect(stdout).toMatch(/^calls needed +106 to 563$/m);
    expect(stderr).toContain('dossier run jobs/lead-list.yaml');
    const longest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(80);
  });
});

test('a plan tells the price in money, and a budget with a margin for retries', async () => {
  await using at = await openWorkplace([]);
  at.write('leads.csv', list(domains));
  const price = '{company: 0.12, people: 0.02, currency: AUD}';
  const settings = ['name: leads', 'input: {path: leads.csv}', 'people: {maxPerCompany: 50}'];
  const job = [...settings, `service: {price: ${price}}`, 'budget: {perDay: 6, perMonth: 100}'];
  at.write('leads.yaml', `${job.join('\n')}\n`);
  const { stdout } = await at.run('plan', 'leads.yaml');
  expect(stdout).toMatch(/^price +AUD 0\.60 to 0\.80$/m);
  expect(stdout).toMatch(/^budget +6 requests a day\n +100 requests a month\n +may not be enough/m);
  expect(stdout).toMatch(/^ +advised: 17, with 10% for retries \(AUD 0\.94\)$/m);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(await at.plan('leads.yaml')).toMatchObject({
    budget: { perStart: null, perDay: 6, perMonth: 100, verdict: 'perhaps' },
    advisedBudget: 17,
    price: { currency: 'AUD', least: 0.6, mostIfFull: 0.8, withMargin: 0.94 },
  });
});

test.each([
  ['plan leads.csv --url embedded', 'dossier run leads.csv --url embedded'],
  ['plan --json jobs/a.yaml --limit 5', 'dossier run jobs/a.yaml --limit 5'],
])('after %s the command to type is %s', (line, next) => {
  expect(runCommandLine(line.split(' '))).toBe(next);
});

test('a plan goes by the rate that was learned, and by what the day has left', async () => {
  using folder = temporaryFolder();
  await using service = await openHostileServer({
    status: 404,
    body: '{"error":404,"message":"Company not found"}',
    headers: { 'ratelimit-policy': '"default";q=20;w=1' },
  });
  const env = { DOSSIER_URL: service.url, DOSSIER_API_KEY: 'key-of-the-tests' };
  const options = { cwd: folder.path, env };
  const list = (sites: readonly string[]) =>
    writeFileSync(join(folder.path, 'leads.csv'), ['website', ...sites].join('\n'));
  const job = 'name: leads\ninput: {path: leads.csv}\nlimits: {rate: 50}\nbudget: {perDay: 5}\n';
  writeFileSync(join(folder.path, 'job.yaml'), job);
  list(domains.slice(0, 2));
  const plan = async () =>
    PlanJson.parse(JSON.parse((await runDossier(['plan', 'job.yaml', '--json'], options)).stdout));
  expect(await plan()).toMatchObject({
    rate: { perSecond: 50, ceiling: 50, reason: 'ceiling' },
    budget: { perDay: 5, spentToday: 0, left: 5, freeAt: null, verdict: 'enough' },
  });
  await runDossier(['run', 'job.yaml'], options);
  list([...domains, 'zeta-test.com']);
  const { rate, seconds, budget, calls } = await plan();
  expect(rate).toEqual({ perSecond: 20, ceiling: 50, reason: 'policy' });
  expect(calls.least).toBe(4);
  expect(seconds?.least).toBe(4 / 20);
  expect(budget).toMatchObject({ spentToday: 2, spentThisMonth: 2, left: 3, verdict: 'short' });
  expect(Date.parse(budget?.freeAt ?? '')).toBeGreaterThan(Date.now());
  const { stdout } = await runDossier(['plan', 'job.yaml'], options);
  expect(stdout).toMatch(
    /^time .* at 20 requests a second\n +lowered from 50 because the service allows/m,
  );
  expect(stdout).toMatch(/^budget +5 requests a day, 2 spent\n.*\n +stops after 3, until \d/m);
});
