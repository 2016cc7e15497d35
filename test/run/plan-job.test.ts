import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { companyData } from '../../src/engine/providers/company-data/company-data.ts';
import { type PlanJson, planJson } from '../../src/facts/plan.ts';
import { jobForFile } from '../../src/job/from-list/job-for-file.ts';
import { isJobPath } from '../../src/job/from-list/job-name.ts';
import type { JobFlags } from '../../src/job/job-flags.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { resolveJob } from '../../src/job/resolve-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { asking } from '../support/run-parts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const domains = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'].map((name) => `${name}-test.com`);
const abns = ['51824753556', '53004085616', '33102417032'];

interface Desk extends AsyncDisposable {
  readonly path: string;
  readonly service: HostileServer;
  write(name: string, text: string): void;
  /** Runs as the command does, with the real client; gives back the code of what stopped it. */
  run(path: string, flags?: JobFlags): Promise<string | undefined>;
  plan(path: string, flags?: JobFlags): Promise<PlanJson>;
}

type People = (body: Record<string, string>) => readonly unknown[];

/** Which company an identifier finds, if any. */
type Find = (identifier: string) => string | undefined;

/** A folder and a service that knows some companies, and people by demand. */
async function openDesk(known: readonly string[] | Find, people?: People): Promise<Desk> {
  const find: Find =
    typeof known === 'function' ? known : (value) => known.find((domain) => domain === value);
  const folder = temporaryFolder();
  const service = await openHostileServer(({ path, body }): Reaction => {
    if (path.startsWith('/people')) return { body: JSON.stringify(people?.(JSON.parse(body))) };
    const asked = new URL(path, 'http://service').searchParams;
    const domain = find(asked.get('fqdn') ?? asked.get('abn') ?? '');
    if (!domain) return { status: 404, body: '{"error":404,"message":"unknown company"}' };
    return { body: JSON.stringify({ id: `c_${domain}`, fqdn: domain }) };
  });
  const open = (name: string, flags: JobFlags) => {
    const path = join(folder.path, name);
    const env = { DOSSIER_URL: service.url };
    const loaded = isJobPath(path) ? loadJob(path, env) : jobForFile(path, {});
    return resolveJob(loaded, { flags: { rate: 'none', ...flags }, env, cwd: folder.path });
  };
  return {
    path: folder.path,
    service,
    write: (name, text) => writeFileSync(join(folder.path, name), text),
    async run(path, flags = {}) {
      const job = open(path, flags);
      const failure = await runJob(job, asking(service.url, job)).then(
        () => undefined,
        (error: { code?: string }) => error,
      );
      return failure?.code;
    },
    plan: async (path, flags = {}) =>
      planJson(await planJob(open(path, flags), { clock: systemClock })),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const list = (values: readonly string[]) => `website\n${values.join('\n')}\n`;
const job = (more: string) => `name: leads\ninput: {path: leads.csv}\n${more}`;

test('counts reusable answers by the ages of the job, and does not change the ledger', async () => {
  await using at = await openDesk(domains.slice(0, 3));
  at.write('leads.csv', list(domains));
  await at.run('leads.csv');
  const ledger = join(at.path, 'output/ledger.db');
  const before = readFileSync(ledger);

  const again = await at.plan('leads.csv');
  expect(again.answered).toEqual({ companies: 3, misses: 2, peoplePages: 0 });
  expect(again.calls.most).toBe(0);
  at.write('leads.yaml', job('reuse: {misses: 0}\n'));
  const anew = await at.plan('leads.yaml');
  expect(anew.answered).toEqual({ companies: 3, misses: 0, peoplePages: 0 });
  expect(anew.calls).toMatchObject({ expected: 2, companies: 2 });
  expect(readFileSync(ledger).equals(before)).toBe(true);

  const made = at.service.seen.length;
  await at.run('leads.yaml');
  expect(at.service.seen.length - made).toBe(2);
});

test('counts a fallback as certain if the first identifier is a known miss', async () => {
  await using at = await openDesk(domains);
  const rows = abns.map((abn, index) => `${abn},${domains[index]}`);
  at.write('leads.csv', `abn,website\n${rows.join('\n')}\n`);
  const both = 'identify: [{column: abn}, {column: website}]\n';
  at.write('both.yaml', job(both));
  expect((await at.plan('both.yaml')).calls).toMatchObject({ companies: 3, fallbacks: 3 });

  at.write('one.yaml', job('identify: [{column: abn}]\n').replace('leads', 'one'));
  await at.run('one.yaml');
  const plan = await at.plan('both.yaml');
  expect(plan.answered.misses).toBe(3);
  expect(plan.calls).toMatchObject({ expected: 3, companies: 3, fallbacks: 0 });
});

test('knows the people that a company still has before it', async () => {
  const page: People = ({ from, size }) =>
    Array.from({ length: Math.min(Number(size), 5 - Number(from)) }, (_unused, index) => ({
      person_id: `p${Number(from) + index}`,
    }));
  await using at = await openDesk(domains.slice(0, 1), page);
  at.write('leads.csv', list(domains.slice(0, 1)));
  at.write('leads.yaml', job('people: {pageSize: 2, maxPerCompany: 6}\n'));
  expect(await at.run('leads.yaml', { maxCalls: '2' })).toBe('BUDGET_SPENT');

  const plan = await at.plan('leads.yaml');
  expect(plan.resumes).toMatchObject({ run: 'r1', rowsSettled: 1, rowsOpen: 0 });
  expect(plan.calls).toMatchObject({ companies: 0, people: 3 });
  await at.run('leads.yaml');
  expect(at.service.seen.length - 2).toBe(plan.calls.people);
});

test('no service makes a run exceed its plan, at the beginning or on the way', async () => {
  const cell = <Value extends string>(values: readonly Value[]) => fc.constantFrom('', ...values);
  const Rows = fc.array(fc.tuple(cell(abns), cell(domains), cell(domains)), {
    minLength: 1,
    maxLength: 12,
  });
  const Service = fc.record({
    /** Which company each identifier finds; several may find the same one. */
    found: fc.dictionary(fc.constantFrom(...abns, ...domains), fc.constantFrom(...domains), {
      noNullPrototype: true,
    }),
    people: fc.integer({ min: 0, max: 12 }),
    longestPage: fc.integer({ min: 1, max: 4 }),
  });
  const Settings = fc.record({
    maxPerCompany: fc.integer({ min: 1, max: 9 }),
    pageSize: fc.integer({ min: 1, max: 4 }),
    seniority: fc.constantFrom('[1]', '[1, 2, 3]'),
    stopAfter: fc.integer({ min: 0, max: 12 }),
  });

  await fc.assert(
    fc.asyncProperty(Rows, Service, Settings, async (rows, service, settings) => {
      const { stopAfter, ...people } = settings;
      const longest = Math.min(people.pageSize, service.longestPage);
      const page: People = ({ companyId, seniority, from }) =>
        Array.from({ length: Math.min(longest, service.people - Number(from)) }, (_, index) => ({
          person_id: `${companyId} ${seniority} ${Number(from) + index}`,
        }));
      await using at = await openDesk((value) => service.found[value], page);
      const cells = rows.map((row) => row.join(',')).join('\n');
      at.write('leads.csv', `abn,website,second\n${cells}\n`);
      const columns = 'identify: [{column: abn}, {column: website}, {column: second}]\n';
      const written = Object.entries(people).map(([name, value]) => `${name}: ${value}`);
      at.write('leads.yaml', job(`${columns}people: {${written.join(', ')}}\n`));

      const expectWithin = async (flags: JobFlags = {}) => {
        const { calls } = await at.plan('leads.yaml');
        const before = at.service.seen.length;
        const stop = await at.run('leads.yaml', flags);
        const made = at.service.seen.length - before;
        const isFull = longest === people.pageSize;
        const planned = calls.companies + calls.fallbacks + calls.people;
        if (isFull) expect(made).toBeLessThanOrEqual(planned);
        expect(calls.expected ?? 0).toBeLessThanOrEqual(calls.most);
        expect(stop === undefined || made === stopAfter).toBe(true);
      };
      await expectWithin({ maxCalls: String(stopAfter) });
      await expectWithin();
      expect((await at.plan('leads.yaml')).calls.most).toBe(0);
    }),
    { numRuns: Number(process.env.DOSSIER_TEST_RUNS ?? 3) },
  );
});

test('rows that are known are planned as if each of their calls were looked up', async () => {
  const cell = <Value extends string>(values: readonly Value[]) => fc.constantFrom('', ...values);
  const Rows = fc.array(fc.tuple(cell(abns), cell(domains)), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(Rows, Rows, async (earlier, rows) => {
      await using at = await openDesk([...abns.slice(0, 1), ...domains.slice(0, 3)]);
      at.write('others.txt', 'elsewhere.example.com');
      const settings = 'identify: [{column: abn}, {column: website}]\n';
      for (const [name, cells] of Object.entries({ earlier, leads: rows })) {
        at.write(`${name}.csv`, `abn,website\n${cells.map((row) => row.join(',')).join('\n')}\n`);
        at.write(`${name}.yaml`, job(settings).replaceAll('leads', name));
      }
      // With a suppression list, no row is taken for known.
      at.write('slow.yaml', job(`${settings}suppress: [others.txt]\n`));
      await at.run('earlier.yaml');
      const plan = await at.plan('leads.yaml');
      const { notes: _, ...slow } = await at.plan('slow.yaml');
      expect(plan).toMatchObject(slow);
    }),
    { numRuns: Number(process.env.DOSSIER_TEST_RUNS ?? 3) },
  );
});

test('identifiers that a provider does not take are neither counted nor looked up', async () => {
  vi.spyOn(companyData, 'takes').mockImplementation((kind) => kind !== 'abn');
  await using at = await openDesk(domains);
  const rows = [`${domains[0]},${abns[0]}`, `,${abns[1]}`, `unknown.com,${abns[2]}`];
  at.write('leads.csv', `website,abn\n${rows.join('\n')}`);
  expect((await at.plan('leads.csv')).calls).toMatchObject({ companies: 2, fallbacks: 0 });
  // The second night keeps all outcomes.
  for (let night = 0; night < 2; night += 1) await at.run('leads.csv');
  expect(at.service.seen.map(({ path }) => /\w+(?==)/.exec(path)?.[0])).toEqual(['fqdn', 'fqdn']);
  expect(readFileSync(join(at.path, 'output/leads/rejects.csv'), 'utf8')).toMatch(
    /kind_not_taken,"The service does not take abn, .*not_found/s,
  );
});
