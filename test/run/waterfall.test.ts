import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import { DossierError } from '../../src/core/errors.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob, ResolvedService } from '../../src/job/resolved-job.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { failure, hitOf, miss } from '../support/answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { companyDataService, day, jobOver } from '../support/test-job.ts';
import { clockOfNight, exportOf, runNight, tableIn } from './nights.ts';

type Answers = Readonly<Record<string, (domain: string) => CallResult>>;

const has =
  (...domains: string[]) =>
  (domain: string) =>
    domains.includes(domain) ? hitOf({ id: '1', fqdn: domain }, `id of ${domain}`) : miss;
const everything = (domain: string) => hitOf({ id: '1', fqdn: domain }, `id of ${domain}`);
const down = () => {
  throw new DossierError('SERVICE_DOWN', 'the service failed all 3 calls');
};

const service = (name: string, changes: Partial<ResolvedService> = {}): ResolvedService => ({
  ...companyDataService,
  name,
  url: `http://${name}.test`,
  ...changes,
});

function jobIn(
  folder: string,
  sites: readonly string[],
  names: readonly (string | ResolvedService)[],
  changes: Partial<ResolvedJob> = {},
) {
  const [first = service('ours'), ...others] = names.map((name) =>
    typeof name === 'string' ? service(name) : name,
  );
  return jobOver(folder, sites, { services: [first, ...others], ...changes });
}

/** What a run on a night asked, as `ours acme.com.au`, and how its rows ended. */
async function night(job: ResolvedJob, answers: Answers, number = 1) {
  const asked: string[] = [];
  const openClient = async (_: unknown, index = 0) => {
    const { name = '' } = job.services[index] ?? {};
    return {
      send: async (call: Call) => {
        const value = call.operation === 'company' ? call.identifier.value : 'people';
        asked.push(`${name} ${value}`);
        const answer = answers[name];
        if (!answer) throw new Error(`${name} was asked`);
        return answer(value);
      },
    };
  };
  const accounts = job.services.map(({ name }) => [Buffer.from(name).toString('hex')]);
  const ended = await runNight(job, number, () => miss, { accounts, openClient }).then(
    ({ counts, held }) => ({ rows: counts.rows, services: counts.services, held, code: undefined }),
    (error: DossierError) => ({ ...readCounts(job), held: null, code: error.code }),
  );
  return { asked: asked.toSorted(), ...ended };
}

function readCounts({ ledger: path, name }: ResolvedJob) {
  using ledger = openLedger(path);
  const [run] = ledger.runs.list(name);
  return ledger.progress.counts(run?.id ?? 0);
}

/** Companies that prove a service, because it finds them. */
const proof = 'known.com.au';

test('only rows that one service misses are asked at the next', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, [proof, 'a.com.au', 'b.com.au'], ['ours', 'main', 'second']);
  const answers = { ours: has(proof), main: has('a.com.au', 'x'), second: everything };
  const first = await night(job, answers);
  // Nothing proves that `main` works before it finds a company.
  expect(first.asked).toEqual([
    'main a.com.au',
    'main b.com.au',
    'ours a.com.au',
    'ours b.com.au',
    'ours known.com.au',
    'second b.com.au',
  ]);
  expect(first.rows).toMatchObject({ matched: 3, open: 0 });
  expect(first.services).toMatchObject({
    ours: { made: 3, hits: 1, misses: 2 },
    main: { made: 2, hits: 1, misses: 1 },
    second: { made: 1, hits: 1 },
  });
  // The next night, all hits are fresh, and nobody is asked.
  expect((await night(job, {}, 2)).asked).toEqual([]);
});

test('a fresh hit of any service comes before a call, and misses are remembered', async () => {
  using folder = temporaryFolder();
  const one = jobIn(folder.path, ['a.com.au', 'b.com.au'], ['second']);
  await night({ ...one, name: 'before' }, { second: has('a.com.au') });
  const job = jobIn(folder.path, [proof, 'a.com.au', 'b.com.au'], ['ours', 'second']);
  const { asked, rows } = await night(job, { ours: has(proof), second: everything }, 2);
  // `second` was asked for b.com.au the night before.
  expect(asked).toEqual(['ours b.com.au', 'ours known.com.au']);
  expect(rows).toMatchObject({ matched: 2, not_found: 1 });
});

test('with several services, a fresh answer to one identifier comes before a call for a better one', async () => {
  using folder = temporaryFolder();
  const asked = async (...names: string[]) => {
    const job = { ...jobIn(folder.path, ['a.com.au'], names), name: names.join('-') };
    await night(job, { ours: everything }, 1);
    writeFileSync(job.input.path, 'website,abn\na.com.au,51824753556');
    return (await night(job, { ours: everything, main: everything }, 2)).asked;
  };
  expect(await asked('ours')).toEqual(['ours 51824753556']);
  expect(await asked('main', 'ours')).toEqual([]);
});

test('a service that has never found a company does not pass its misses on', async () => {
  using folder = temporaryFolder();
  const sites = Array.from({ length: 12 }, (_, index) => `c${index}.com.au`);
  const job = jobIn(folder.path, sites, ['ours', 'main']);
  const { asked, rows } = await night(job, { ours: has() });
  expect(asked).toHaveLength(12);
  expect(rows).toMatchObject({ not_found: 12, open: 0 });
  // Its stored misses prove nothing, so they are asked again, and one hit proves all others.
  const later = await night(job, { ours: has('c11.com.au'), main: everything }, 2);
  expect(later.asked.filter((one) => one.startsWith('main'))).toHaveLength(11);
  expect(later.rows).toMatchObject({ matched: 12 });
});

test('while a service is down, no other is asked for its rows', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, [proof, 'a.com.au'], ['ours', 'main']);
  const dead = await night(job, { ours: down, main: everything });
  expect(dead).toMatchObject({ code: 'SERVICE_DOWN', rows: { open: 2 } });
  expect(dead.asked.filter((one) => one.startsWith('main'))).toEqual([]);
  // The second service is down: what the first one finds is kept, and no row is asked there again.
  const half = await night(job, { ours: has(proof), main: down }, 2);
  expect(half).toMatchObject({ code: 'SERVICE_DOWN', rows: { matched: 1, open: 1 } });
  const whole = await night(job, { main: everything }, 3);
  expect(whole).toMatchObject({ asked: ['main a.com.au'], rows: { matched: 2, open: 0 } });
});

test('the first miss of a known company is not passed on, and a believed one is', async () => {
  using folder = temporaryFolder();
  const stale = { companiesMs: 0, missesMs: 0, peopleMs: 0, spread: 0, staleOnFailureMs: 90 * day };
  const sites = [proof, 'a.com.au'];
  const job = jobIn(folder.path, sites, ['ours', 'main'], { reuse: stale });
  await night(job, { ours: has(proof, 'a.com.au') });
  const missed = await night(job, { ours: has(proof) }, 3);
  expect(missed.rows).toMatchObject({ matched: 2, not_found: 0 });
  const again = await night(job, { ours: has(proof) }, 6);
  expect(again.rows).toMatchObject({ matched: 1, not_found: 1 });
  const gone = await night(job, { ours: has(proof), main: everything }, 9);
  expect(gone.asked).toContain('main a.com.au');
  expect(gone.rows).toMatchObject({ matched: 2 });
});

/** The calls that a plan expects at each service, if every service finds what it is asked. */
async function planned(job: ResolvedJob, number: number) {
  const { calls } = await planJob(job, { clock: clockOfNight(number) });
  return calls.lookups.map(({ companies }) => companies);
}

const others = ['v.com.au', 'w.com.au', 'x.com.au', 'y.com.au'];

test.each<{
  state: string;
  nights: readonly [night: number, ours: Answers[string]][];
  sites?: readonly string[];
  isAccepted?: true;
  at: number;
  asks: readonly [ours: number, main: number];
}>([
  { state: 'known', nights: [[1, everything]], at: 1.1, asks: [0, 0] },
  { state: 'known and expired', nights: [[1, everything]], at: 3, asks: [2, 0] },
  {
    state: 'kept',
    nights: [
      [1, everything],
      [3, has(proof)],
    ],
    at: 3.1,
    asks: [0, 0],
  },
  {
    state: 'kept for a day',
    nights: [
      [1, everything],
      [3, has(proof)],
    ],
    at: 4,
    asks: [2, 0],
  },
  {
    state: 'gone',
    nights: [
      [1, everything],
      [3, has(proof)],
      [5, has(proof)],
    ],
    at: 5.1,
    asks: [0, 1],
  },
  {
    state: 'vanished',
    nights: [
      [1, everything],
      [3, has()],
    ],
    sites: others,
    at: 3.1,
    asks: [6, 0],
  },
  {
    state: 'vanished and accepted',
    nights: [
      [1, everything],
      [3, has()],
    ],
    sites: others,
    isAccepted: true,
    at: 3.1,
    asks: [0, 6],
  },
  { state: 'never known', nights: [[1, has(proof)]], at: 1.1, asks: [0, 1] },
  {
    state: 'missed by a service that never found one',
    nights: [[1, has()]],
    at: 1.1,
    asks: [0, 0],
  },
])(
  'with one service or two, a run makes the calls of its plan for a company that is $state',
  async ({ nights, sites = [], isAccepted, at, asks }) => {
    for (const names of [['ours'], ['ours', 'main']]) {
      using folder = temporaryFolder();
      const reuse = {
        companiesMs: day,
        missesMs: day,
        peopleMs: 0,
        spread: 0,
        staleOnFailureMs: 9 * day,
      };
      const job = jobIn(folder.path, [proof, 'a.com.au', ...sites], names, { reuse });
      const before = jobIn(folder.path, [proof, 'a.com.au', ...sites], ['ours'], { reuse });
      for (const [number, ours] of nights) await night(before, { ours }, number);
      if (isAccepted) await exportOf(before, { accept: true });
      const wanted = asks.slice(0, names.length);
      expect(await planned(job, at)).toEqual(wanted);
      const { asked } = await night(job, { ours: everything, main: everything }, at);
      const made = names.map((name) => asked.filter((one) => one.startsWith(name)).length);
      expect(made).toEqual(wanted);
    }
  },
);

test('a plan counts no call for a row whose miss is not believed yet', async () => {
  using folder = temporaryFolder();
  await night(jobIn(folder.path, ['a.com.au'], ['ours', 'main']), { ours: has() });
  const job = jobIn(folder.path, ['a.com.au', 'b.com.au'], ['ours', 'main']);
  expect(await planned(job, 2)).toEqual([1, 0]);
  const { asked } = await night(job, { ours: has('b.com.au'), main: everything }, 2);
  expect(asked).toEqual(['main a.com.au', 'ours b.com.au']);
});

test('companies that rows keep do not stop new rows from reaching the next service', async () => {
  using folder = temporaryFolder();
  const known = Array.from({ length: 12 }, (_, index) => `k${index}.com.au`);
  const reuse = { ...reuseFor(90 * day, 5 * day), missesMs: day };
  const job = (...sites: string[]) => jobIn(folder.path, sites, ['ours', 'main'], { reuse });
  await night(job(...known), { ours: everything });
  const found = has(...known.slice(5));
  expect((await night(job(...known), { ours: found }, 7)).rows.matched).toBe(12);
  const next = await night(job(...known, 'new.com.au'), { ours: found, main: everything }, 8);
  expect(next.asked.filter((one) => one.startsWith('main'))).toEqual(['main new.com.au']);
  expect(next).toMatchObject({ held: null, rows: { matched: 13 } });
});

test.each(['first', 'last'])(
  'the %s companies of a list are kept if no later run found another',
  async (place) => {
    using folder = temporaryFolder();
    const known = Array.from({ length: 12 }, (_, index) => `k${index}.com.au`);
    const job = jobIn(folder.path, known, ['ours'], { reuse: reuseFor(90 * day, 5 * day) });
    await night(job, { ours: everything });
    const found = has(...(place === 'first' ? known.slice(2) : known.slice(0, 10)));
    await night(job, { ours: found }, 7);
    const again = await night(job, { ours: found }, 8);
    expect(again.asked).toHaveLength(2);
    expect(again.rows).toMatchObject({ matched: 12, not_found: 0 });
  },
);

test('if half of the known companies are missing, the next service is not asked', async () => {
  using folder = temporaryFolder();
  const known = Array.from({ length: 12 }, (_, index) => `k${index}.com.au`);
  const none = { companiesMs: 0, missesMs: 0, peopleMs: 0, spread: 0, staleOnFailureMs: 0 };
  const first = jobIn(folder.path, known, ['ours', 'main'], { reuse: none });
  await night(first, { ours: everything });
  const job = jobIn(folder.path, ['new.com.au', ...known], ['ours', 'main'], { reuse: none });
  const broken = await night(job, { ours: has(...known.slice(0, 3)) }, 3);
  expect(broken.asked.filter((one) => one.startsWith('main'))).toEqual([]);
  expect(broken.held?.[0]?.message).toBe(
    'vanished: 9 of 12 known companies were not found this time at ours',
  );
});

test('a budget of a service counts for all jobs, and its other rows wait', async () => {
  using folder = temporaryFolder();
  const price = { currency: 'AUD', companyMicros: 100_000, charged: 'answers' } as const;
  const main = service('main', { price, budget: { perDay: { micros: 300_000 } } });
  const sites = [proof, 'a.com.au', 'b.com.au', 'c.com.au', 'd.com.au'];
  const job = jobIn(folder.path, sites, ['ours', main]);
  const answers = { ours: has(proof), main: everything };
  const spent = await night(job, answers);
  expect(spent).toMatchObject({ code: 'BUDGET_SPENT', rows: { matched: 4, open: 1 } });
  using elsewhere = temporaryFolder();
  const { ledger } = job;
  const other = jobIn(elsewhere.path, ['z.com.au'], [main], { name: 'other', ledger });
  expect(await night(other, answers)).toMatchObject({ code: 'BUDGET_SPENT', asked: [] });
  const next = await night(job, answers, 2);
  expect(next).toMatchObject({ asked: [expect.stringMatching(/^main /)], rows: { matched: 5 } });
});

test.each([1, 3, 6])(
  'a budget of a job for %i requests is one for all of its services',
  async (perDay) => {
    using folder = temporaryFolder();
    const sites = [proof, 'a.com.au', 'b.com.au', 'c.com.au', 'd.com.au'];
    const budget = { ...jobIn(folder.path, sites, ['ours']).budget, perDay };
    const job = jobIn(folder.path, sites, ['ours', 'main'], { budget });
    const answers = { ours: has(proof), main: everything };
    const asked: string[] = [];
    for (let number = 1; number <= 9; number += 1) {
      const { asked: tonight, rows } = await night(job, answers, number);
      expect(tonight.length).toBeLessThanOrEqual(perDay);
      asked.push(...tonight);
      if (rows.open === 0) break;
    }
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
    expect(asked).toHaveLength(9);
  },
);

test('a row that another service answers says so, and with one service it cannot', async () => {
  using folder = temporaryFolder();
  const none = { companiesMs: 0, missesMs: 0, peopleMs: 0, spread: 0, staleOnFailureMs: 0 };
  const job = (...names: (string | ResolvedService)[]) =>
    jobIn(folder.path, [proof], names, { reuse: none });
  const changes = () => readFileSync(join(folder.path, 'output/changes.csv'), 'utf8');
  const main = () => hitOf({ id: '8', fqdn: proof }, 'c_8');
  await night(job('main'), { main });
  await night(job(service('moved', { url: 'http://moved.test' })), { moved: everything }, 3);
  expect(changes()).toContain('company_replaced');
  await night(job('ours', 'moved'), { ours: everything }, 5);
  expect(changes()).toContain('service_changed');
  expect(changes()).not.toContain('company_replaced');
});

test('the same id at two services is two companies, each with its own people', async () => {
  using folder = temporaryFolder();
  const search = { seniority: '3', department: undefined, position: undefined };
  const people = { searches: [search], pageSize: 9, maxPerCompany: 9 };
  const job = jobIn(folder.path, [proof, 'a.com.au'], ['ours', 'main'], { people });
  const sameId = (owner: string) => (value: string) =>
    value === 'people'
      ? hitOf({ people: [{ personId: `p of ${owner}` }], total: 1 })
      : hitOf({ id: '7', fqdn: value }, '7');
  const ours = (value: string) =>
    value === proof || value === 'people' ? sameId('ours')(value) : miss;
  const { asked } = await night(job, { ours, main: sameId('main') });
  expect(asked.filter((one) => one.endsWith('people'))).toEqual(['main people', 'ours people']);
  using ledger = openLedger(join(folder.path, 'ledger.db'));
  const [run] = ledger.runs.list(job.name);
  const records = run && [
    ...ledger
      .records(undefined)
      .ofRun(run, () => {})
      .people(),
  ];
  expect(records).toMatchObject([
    { companyId: '7', service: 'ours', rows: [1] },
    { companyId: '7', service: 'main', rows: [2] },
  ]);
});

const reuseFor = (staleOnFailureMs: number, companiesMs = 0) => ({
  ...{ companiesMs, missesMs: 0, peopleMs: 0, spread: 0 },
  staleOnFailureMs,
});

test.each([
  ['ours', { matched: 2, not_found: 0 }],
  ['main', { matched: 1, not_found: 1 }],
])(
  'a missed company is kept as long as its own service says: 90 days at %s',
  async (long, rows) => {
    using folder = temporaryFolder();
    const services = ['ours', 'main'].map((name) =>
      service(name, { reuse: reuseFor(name === long ? 90 * day : 0) }),
    );
    const job = jobIn(folder.path, [proof, 'a.com.au'], services);
    await night(job, { ours: everything });
    const missed = await night(job, { ours: has(proof), main: has() }, 3);
    expect(missed.rows).toMatchObject(rows);
  },
);

test.each([
  [60, 0, 1],
  [0, 60, 0],
])(
  'people replace a failed search if the service says %i days and the job %i',
  async (own, ofJob, number) => {
    using folder = temporaryFolder();
    const search = { seniority: '3', department: undefined, position: undefined };
    const people = { searches: [search], pageSize: 9, maxPerCompany: 9 };
    const main = service('main', { reuse: reuseFor(own * day) });
    const job = jobIn(folder.path, [proof], [main], { people, reuse: reuseFor(ofJob * day) });
    const found = (value: string) =>
      value === 'people'
        ? hitOf({ people: [{ personId: 'p' }], total: 1 })
        : hitOf({ id: '7', fqdn: value }, '7');
    await night(job, { main: found });
    await night(job, { main: (value) => (value === 'people' ? failure : found(value)) }, 3);
    expect(tableIn(job, 'people')).toHaveLength(number);
  },
);

test('pruning knows the longest time for which a service lets answers be reused', async () => {
  using folder = temporaryFolder();
  const main = service('main', { reuse: reuseFor(0, 365 * day) });
  const job = jobIn(folder.path, [proof], [main], { reuse: reuseFor(0, 30 * day) });
  await night(job, { main: everything });
  using ledger = openDatabase(job.ledger);
  expect(ledger.value.prepare('select use_ms from retention').pluck().get()).toBe(365 * day);
});
