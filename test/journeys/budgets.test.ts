import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startDossier, succeeded } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

/** A folder with jobs that share a ledger; each has its own domains. */
function openJobs(service: SmallService) {
  const folder = openFolder({}, service.env);
  return {
    ...folder,
    job(name: string, domains: readonly string[], settings: string) {
      folder.write(`${name}.csv`, ['website', ...domains].join('\n'));
      const lines = [
        `name: ${name}`,
        `input: {path: ${name}.csv}`,
        'ledger: ledger.db',
        'limits: {rate: none, concurrency: 4, attempts: 2}',
        settings,
      ];
      folder.write(`${name}.yaml`, `${lines.join('\n')}\n`);
    },
    run: (name: string, isAlone = false) => folder.dossier(`run ${name}.yaml --json`, { isAlone }),
    async spend(flags = '') {
      const { stdout } = await folder.dossier(`spend --ledger ledger.db --json${flags}`);
      return JSON.parse(stdout) as SpendFigures;
    },
  };
}

const domainsOf = (start: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${start}${index}.com.au`);

interface SpendFigures {
  readonly entries: readonly Record<string, unknown>[];
  readonly total: Record<string, number>;
}

test('two processes that race for the last requests of a month never send too many', async () => {
  const both = Promise.withResolvers<void>();
  await using service = await openSmallService(async (_path, index) => {
    // Two processes with four calls each have sent them.
    if (index === 7) both.resolve();
    await both.promise;
    return undefined;
  });
  using jobs = openJobs(service);
  // The day has the same budget as the month, so midnight changes nothing.
  const settings = 'budget: {perDay: 21, perMonth: 21}';
  jobs.job('east', domainsOf('east', 30), settings);
  jobs.job('west', domainsOf('west', 30), settings);
  const ended = await Promise.all([jobs.run('east'), jobs.run('west', true)]);
  expect(service.seen).toHaveLength(21);
  for (const { exitCode, stderr } of ended) {
    expect(exitCode).toBe(75);
    expect(stderr).toMatch(
      /BUDGET_SPENT: the budget of 21 calls a month \(set in .*\.yaml\) is spent: all jobs on this ledger made 21 calls at 127\.0\.0\.1:\d+ \(\d{4}-\d\d\)/,
    );
    expect(stderr).toMatch(/resets at \d{4}-\d\d-01 00:00 UTC/);
    expect(stderr).toContain('Run the same command again after it resets, or raise it.');
    expect(stderr).toContain('dossier spend');
  }
  const { total } = await jobs.spend(' --by operation');
  expect(total).toMatchObject({ requests: 21, hits: 21 });

  // A lookup with the same key has no request left either.
  const lookup = await jobs.dossier('lookup west29.com.au --job east.yaml');
  expect(lookup.exitCode).toBe(75);
  expect(service.seen).toHaveLength(21);
  const ledgerBytes = readFileSync(join(jobs.path, 'ledger.db'));
  expect(ledgerBytes.includes(service.env.DOSSIER_API_KEY ?? '')).toBe(false);
});

test('a budget holds when a process is killed: its reserved requests count as used', async () => {
  let delayMs = 60_000;
  await using service = await openSmallService(async (_path, index) => {
    if (index >= 2) await delay(delayMs, undefined, { ref: false });
    return undefined;
  });
  using jobs = openJobs(service);
  const settings = 'budget: {perDay: 12, perMonth: 12}';
  jobs.job('night', domainsOf('night', 20), settings);
  const options = { cwd: jobs.path, env: service.env };
  await using command = startDossier(['run', 'night.yaml'], options);
  await service.untilSeen(5);
  await command.stop('SIGKILL');
  const leftBehind = service.seen.length;
  delayMs = 0;
  expect((await jobs.run('night')).exitCode).toBe(75);
  expect(service.seen.length).toBeLessThanOrEqual(12);
  expect(service.seen.length).toBeGreaterThan(leftBehind);
  expect((await jobs.spend()).total.requests).toBe(12);
});

test('a missing price is unknown, never zero', async () => {
  await using service = await openSmallService();
  using jobs = openJobs(service);
  const settings = (people: string) =>
    `service: {price: {company: 0.12, currency: AUD${people}}}\npeople: {seniority: [1]}`;
  const domains = ['one.com.au', 'two.com.au'];
  jobs.job('unknown', domains, settings(''));
  const plan = async (flags = '') => (await jobs.dossier(`plan unknown.yaml${flags}`)).stdout;
  expect(await plan()).toMatch(/price\s+unknown/);
  expect(JSON.parse(await plan(' --json'))).toMatchObject({ price: null });
  const { stdout, stderr } = await jobs.run('unknown');
  const money = { currency: 'AUD', amount: 0.24 };
  expect(JSON.parse(stdout)).toMatchObject({ requests: 6, money: [money], unpriced: 4 });
  expect(stderr).toMatch(/spent\s+AUD 0\.24, and 4 calls, price not set/);
  const { total } = await jobs.spend();
  expect(total).toMatchObject({ requests: 6, unpriced: 4, money: [money] });
  jobs.job('unknown', ['three.com.au'], settings(', people: 0'));
  expect(JSON.parse(await plan(' --json'))).toMatchObject({ price: { currency: 'AUD' } });
});

test('paid and possibly charged requests are shown apart, in requests and money', async () => {
  const failsOnce = new Map([
    ['slow.com.au', 429],
    ['busy.com.au', 503],
    ['broken.com.au', 500],
  ]);
  await using service = await openSmallService((path) => {
    const domain = new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '';
    const status = failsOnce.get(domain);
    failsOnce.delete(domain);
    return status === undefined ? undefined : { status, headers: { 'retry-after': '0' } };
  });
  using jobs = openJobs(service);
  const price = '{company: 0.12, people: 0.02, currency: AUD, charged: hits}';
  jobs.job(
    'paid',
    ['slow.com.au', 'busy.com.au', 'broken.com.au', 'unknown.com.au'],
    `service: {price: ${price}}\npeople: {seniority: [1]}`,
  );
  const { stdout: ran, stderr } = await succeeded(jobs.run('paid'));
  expect(service.seen).toHaveLength(13);
  const money = { currency: 'AUD', amount: 0.48 };
  const possibleMoney = { currency: 'AUD', amount: 0.12 };
  const both = { money: [money], possibleMoney: [possibleMoney] };
  const counted = { requests: 11 };
  expect(JSON.parse(ran)).toMatchObject({ ...counted, ...both, wholeRun: both });
  const text = 'AUD 0.48, possibly AUD 0.12 more';
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`spent ${text}`);
  const files = JSON.parse(jobs.read('output/paid/manifest.json'));
  expect(files).toMatchObject({ ...counted, ...both });

  // The miss is a call that costs nothing; the other free requests were sent again.
  const { entries, total } = await jobs.spend(' --by job --by operation');
  expect(entries).toMatchObject([
    { job: 'paid', operation: 'company', requests: 5, hits: 3, misses: 1, possiblyCharged: 1 },
    { job: 'paid', operation: 'people', requests: 6, hits: 6, money: [{ amount: 0.12 }] },
  ]);
  expect(total).toMatchObject({ ...counted, ...both });
  const show = (line: string) => jobs.dossier(`${line} --ledger ledger.db`);
  expect((await show('spend')).stdout).toContain(text);
  expect((await show('status paid')).stdout).toContain(`${text}, for 11 calls`);
  expect((await show('spend payd')).stderr).toContain('did you mean paid?');

  // A limit in calls counts what is charged, so all of the free misses are looked up.
  jobs.job('capped', domainsOf('unknown', 9), `service: {price: ${price}}`);
  await jobs.dossier('run capped.yaml --max-calls 2');
  expect(service.seen).toHaveLength(22);
});

test('the budget of a service is that of its address, whoever names it, and however', async () => {
  await using service = await openSmallService();
  const ledger = { DOSSIER_LEDGER: 'ledger.db', XDG_CONFIG_HOME: 'config' };
  using at = openFolder({}, { ...service.env, DOSSIER_URL: '', ...ledger });
  const describe = (folder: string, name: string, terms: string) =>
    at.write(
      `${folder}/services.yaml`,
      `services:\n  ${name}: { url: "${service.url}", key: "$\{DOSSIER_API_KEY}", ${terms} }\n`,
    );
  const run = async (folder: string, named: string, rows: number) => {
    at.write(
      `${folder}/${folder}.yaml`,
      `name: ${folder}\nservice: ${named}\ninput: {path: l.csv}\n`,
    );
    at.write(`${folder}/l.csv`, `domain\n${domainsOf(folder, rows).join('\n')}\n`);
    const before = service.seen.length;
    const { stderr } = await at.dossier(`run ${folder}/${folder}.yaml`);
    return { stderr, requests: service.seen.length - before };
  };
  describe('a', 'main', 'rate: 2, budget: { perDay: 5 }');
  expect(await run('a', 'main', 2)).toMatchObject({ requests: 2 });
  const plan = await at.dossier('plan a/a.yaml --json');
  expect(JSON.parse(plan.stdout)).toMatchObject({ rate: { perSecond: 2, ceiling: 2 } });
  // Under another name, it has no fresh day, and its own file does not allow it more.
  describe('b', 'other', 'budget: { perDay: 9 }');
  expect(await run('b', 'other', 2)).toMatchObject({ requests: 2 });
  // Nor does a job that describes it, with another key.
  const { stderr, requests } = await run('c', `{ url: "${service.url}", key: "$\{PATH}" }`, 2);
  expect(requests).toBe(1);
  const host = new URL(service.url).host.replace('.', '\\.');
  expect(stderr).toMatch(
    new RegExp(
      `the budget of 5 calls a day for ${host} \\(set in a/services.yaml\\) is spent: all jobs on this ledger made 5 calls at ${host} `,
    ),
  );
  expect(await run('b', 'other', 3)).toMatchObject({
    requests: 0,
    stderr: expect.stringContaining('5 calls at other ('),
  });
  const spent = await at.dossier('spend --by service --json');
  expect(JSON.parse(spent.stdout).entries).toMatchObject([{ service: 'other', requests: 5 }]);
});

test('a list without a job brings the limits of its services.yaml, too', async () => {
  await using service = await openSmallService();
  using at = openFolder();
  const env = {
    ...service.env,
    DOSSIER_URL: '',
    DOSSIER_LEDGER: join(at.path, 'ledger.db'),
    XDG_CONFIG_HOME: join(at.path, 'config'),
  };
  const run = async (folder: string, perDay: number) => {
    const terms = `url: "${service.url}", key: "$\{DOSSIER_API_KEY}", budget: { perDay: ${perDay} }`;
    at.write(`${folder}/services.yaml`, `services:\n  main: { ${terms} }\n`);
    at.write(`${folder}/${folder}.csv`, `domain\n${domainsOf(folder, 2).join('\n')}\n`);
    return await at.dossier(`run ${folder}.csv`, { cwd: join(at.path, folder), env });
  };
  expect((await run('a', 2)).exitCode).toBe(0);
  const { exitCode, stderr } = await run('b', 9);
  expect(exitCode).toBe(75);
  expect(stderr).toContain('; 2 companies will stay open');
  expect(stderr).toMatch(/for main \(set in \/.*\/a\/services\.yaml\) is spent/);
  expect(service.seen).toHaveLength(2);
});

test('a limit of another folder is named with its file, and by the run that it ends', async () => {
  await using service = await openSmallService();
  using jobs = openJobs(service);
  const described = (more: string) =>
    `services:\n  main: { url: '${service.env.DOSSIER_URL}', key: "$\{DOSSIER_API_KEY}", price: { company: 0.1, currency: AUD }${more} }\n`;
  jobs.write('services.yaml', described(''));
  jobs.write('far/services.yaml', described(', budget: { perDay: 2 }'));
  jobs.write('far/leads.csv', ['website', ...domainsOf('far', 5)].join('\n'));
  const plan = await jobs.dossier('plan far/leads.csv');
  const note = 'main also has the limits that far/services.yaml sets for its address.';
  expect(plan.stdout.replaceAll(/\s+/g, ' ')).toContain(note);
  expect(plan.stdout).toMatch(/^budget +2 calls a day\n +will end the run early/m);
  const { stderr, exitCode } = await jobs.dossier('run far/leads.csv');
  expect(exitCode).toBe(75);
  expect(stderr).toContain(
    'BUDGET_SPENT: the budget of 2 calls a day for main (set in far/services.yaml)',
  );
  expect(stderr).toContain('Spent so far: AUD 0.20, for 2 calls.');
  const services = await jobs.dossier('services --json');
  const [main] = JSON.parse(services.stdout).services;
  expect(main.budget).toEqual(['2 calls a day (set in far/services.yaml), 0 calls left']);
});

test('a price that another folder sets for the address is shown with its file', async () => {
  await using service = await openSmallService();
  using jobs = openJobs(service);
  const main = `{ url: '${service.env.DOSSIER_URL}', key: "$\{DOSSIER_API_KEY}"`;
  const priced = 'price: { company: 0.1, currency: AUD }';
  jobs.write('services.yaml', `services:\n  main: ${main} }\n`);
  jobs.write('far/services.yaml', `services:\n  main: ${main}, ${priced}, rate: 5 }\n`);
  jobs.write('far/leads.csv', ['website', ...domainsOf('far', 5)].join('\n'));
  const plan = (await jobs.dossier('plan far/leads.csv')).stdout.replaceAll(/\s+/g, ' ');
  expect(plan).toContain(
    'main also has the price and the limits that far/services.yaml sets for its address.',
  );
  expect(plan).toContain('price at most AUD 0.60');
});
