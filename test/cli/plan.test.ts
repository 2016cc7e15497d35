import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PlanJson } from '../../src/cli/plan-json.ts';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const domains = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((name) => `${name}-test.com`);
const abns = ['51824753556', '53004085616', '33102417032'];

interface Workplace extends AsyncDisposable {
  readonly path: string;
  readonly service: HostileServer;
  write(name: string, text: string): string;
  run(...args: string[]): ReturnType<typeof runDossier>;
  plan(...args: string[]): Promise<PlanJson>;
}

type People = (body: Record<string, string>) => readonly unknown[];

/** A folder and a service that knows the companies of some domains, and people by demand. */
async function openWorkplace(known: readonly string[], people?: People): Promise<Workplace> {
  const folder = temporaryFolder();
  const service = await openHostileServer(({ path, body }): Reaction => {
    if (path.startsWith('/people')) return { body: JSON.stringify(people?.(JSON.parse(body))) };
    const domain = new URL(path, 'http://service').searchParams.get('fqdn') ?? '';
    if (!known.includes(domain)) return { status: 404, body: '{"error":404,"message":"unknown"}' };
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
const job = (more: string) =>
  `name: leads\ninput: {path: leads.csv}\nlimits: {rate: none}\n${more}`;

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
    });
    expect(plan.calls).toMatchObject({ least: 5, mostIfFull: 5, most: 5 });
    expect(at.service.seen).toHaveLength(0);
    expect(existsSync(join(at.path, 'output'))).toBe(false);

    await at.run('run', 'leads.csv');
    expect(at.service.seen).toHaveLength(plan.calls.most);
  });

  test('counts what is at hand, by the ages that the job allows, and leaves the ledger alone', async () => {
    await using at = await openWorkplace(domains.slice(0, 3));
    at.write('leads.csv', list(domains));
    await at.run('run', 'leads.csv');
    const ledger = join(at.path, 'output/ledger.db');
    const before = readFileSync(ledger);

    const again = await at.plan('leads.csv');
    expect(again.atHand).toEqual({ companies: 3, misses: 2, peoplePages: 0 });
    expect(again.calls.most).toBe(0);
    at.write('leads.yaml', job('reuse: {misses: 0}\n'));
    const anew = await at.plan('leads.yaml');
    expect(anew.atHand).toEqual({ companies: 3, misses: 0, peoplePages: 0 });
    expect(anew.calls).toMatchObject({ least: 2, most: 2 });
    expect(readFileSync(ledger).equals(before)).toBe(true);

    const made = at.service.seen.length;
    await at.run('run', 'leads.yaml');
    expect(at.service.seen.length - made).toBe(2);
  });

  test('is sure of a fallback whose first identifier is known to find nothing', async () => {
    await using at = await openWorkplace(domains);
    const rows = abns.map((abn, index) => `${abn},${domains[index]}`);
    at.write('leads.csv', `abn,website\n${rows.join('\n')}\n`);
    const both = 'identify: [{column: abn}, {column: website}]\n';
    at.write('both.yaml', job(both));
    expect((await at.plan('both.yaml')).calls).toMatchObject({ least: 3, most: 6, fallbacks: 3 });

    at.write('one.yaml', job('identify: [{column: abn}]\n').replace('leads', 'one'));
    await at.run('run', 'one.yaml');
    const plan = await at.plan('both.yaml');
    expect(plan.atHand.misses).toBe(3);
    expect(plan.calls).toMatchObject({ least: 3, most: 3, companies: 3, fallbacks: 0 });
  });

  test.each([
    ['gives a person at a time', 1, 'most'],
    ['fills its pages', 3, 'mostIfFull'],
  ] as const)(
    'bounds the calls of a service that %s, and may come true',
    async (_, length, most) => {
      let people = 0;
      const page = () => {
        people += length;
        return Array.from({ length }, (_unused, index) => ({ person_id: `p${people + index}` }));
      };
      await using at = await openWorkplace(domains, page);
      const rows = abns.map((abn, index) => `${abn},${domains[index]}`);
      at.write('leads.csv', `abn,website\n${rows.join('\n')}\n`);
      at.write(
        'leads.yaml',
        job(
          'identify: [{column: abn}, {column: website}]\npeople: {pageSize: 3, maxPerCompany: 10}\n',
        ),
      );
      const { calls } = await at.plan('leads.yaml');
      expect(calls).toMatchObject({ least: 3, fallbacks: 3 });

      await at.run('run', 'leads.yaml');
      expect(at.service.seen).toHaveLength(calls[most]);
      const after = await at.plan('leads.yaml');
      expect(after.calls.most).toBe(0);
      expect(after.atHand).toMatchObject({ companies: 3, misses: 3 });
    },
  );

  test('knows the people that a company still has before it', async () => {
    const page: People = ({ from, size }) =>
      Array.from({ length: Math.min(Number(size), 7 - Number(from)) }, (_unused, index) => ({
        person_id: `p${Number(from) + index}`,
      }));
    await using at = await openWorkplace(domains.slice(0, 1), page);
    at.write('leads.csv', list(domains.slice(0, 1)));
    at.write('leads.yaml', job('people: {pageSize: 2, maxPerCompany: 6}\n'));
    const stopped = await at.run('run', 'leads.yaml', '--max-calls', '2');
    expect(stopped.exitCode).toBe(75);

    const plan = await at.plan('leads.yaml');
    expect(plan.resumes).toMatchObject({ run: 'r1', rowsSettled: 1, rowsOpen: 0 });
    expect(plan.calls).toMatchObject({ least: 1, mostIfFull: 2, most: 4 });
    await at.run('run', 'leads.yaml');
    expect(at.service.seen.length - 2).toBe(plan.calls.mostIfFull);
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
    expect(plan.budget).toEqual({ maxCalls: 2, verdict: 'short' });
    expect(readFileSync(join(at.path, 'output/ledger.db')).equals(ledger)).toBe(true);

    await at.run('run', 'leads.csv');
    expect(at.service.seen).toHaveLength(5);
  });

  test('begins anew where the list has changed since', async () => {
    await using at = await openWorkplace(domains);
    at.write('leads.csv', list(domains));
    await at.run('run', 'leads.csv', '--max-calls', '2');
    at.write('leads.csv', list([...domains, 'zeta-test.com']));
    const plan = await at.plan('leads.csv');
    expect(plan.resumes).toBeNull();
    expect(plan.atHand.companies).toBe(2);
    expect(plan.calls.least).toBe(4);
  });

  test('tells the time at the rate and what the budget is good for', async () => {
    await using at = await openWorkplace([]);
    at.write('leads.csv', list(domains));
    const { seconds, budget } = await at.plan('leads.csv', '--rate', '2', '--max-calls', '5');
    expect(seconds).toEqual({ least: 2.5, mostIfFull: 2.5, most: 2.5 });
    expect(budget).toEqual({ maxCalls: 5, verdict: 'enough' });
    expect((await at.plan('leads.csv', '--rate', 'none')).seconds).toBeNull();
  });

  test('reads well in eighty columns, and run --dry-run is the same', async () => {
    const { stdout, stderr } = await runDossier(['plan', 'jobs/lead-list.yaml']);
    expect(stdout).toMatch(/^calls needed +106 to 563$/m);
    expect(stderr).toContain('dossier run jobs/lead-list.yaml');
    const longest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(80);
    const dry = await runDossier(['run', 'jobs/lead-list.yaml', '--dry-run']);
    expect(dry.stdout).toBe(stdout);
  });
});

describe('a plan stops with a sentence', () => {
  test.each([
    ['leads.csv', undefined, 65, 'INPUT_UNREADABLE'],
    ['leads.csv', 'name,phone\nAcme,12\n', 65, 'COLUMNS_UNCLEAR'],
    ['leads.yaml', 'name: leads\nimput: x\n', 78, 'JOB_INVALID'],
  ])('for %s holding %j', async (name, text, exitCode, code) => {
    await using at = await openWorkplace([]);
    if (text !== undefined) at.write(name, text);
    const result = await at.run('plan', name);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toContain(code);
  });

  test('for a ledger that is none', async () => {
    await using at = await openWorkplace([]);
    at.write('leads.csv', list(domains));
    at.write('notes.db', 'not a database, but rather long and full of words '.repeat(50));
    const result = await at.run('plan', 'leads.csv', '--ledger', 'notes.db');
    expect(result).toMatchObject({ exitCode: 74, stdout: '' });
    expect(result.stderr).toContain('notes.db cannot be read');
  });
});
