import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { startDossier } from '../support/start-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A folder with jobs that share a ledger; each has domains of its own. */
function openDesk(service: SmallService) {
  const folder = temporaryFolder();
  const { env } = service;
  const options = { cwd: folder.path, env };
  return {
    path: folder.path,
    write(name: string, { domains, settings }: { domains: readonly string[]; settings: string }) {
      writeFileSync(join(folder.path, `${name}.csv`), ['website', ...domains].join('\n'));
      const lines = [
        `name: ${name}`,
        `input: {path: ${name}.csv}`,
        'ledger: ledger.db',
        'limits: {rate: none, concurrency: 4, attempts: 2}',
        settings,
      ];
      writeFileSync(join(folder.path, `${name}.yaml`), `${lines.join('\n')}\n`);
    },
    run: (name: string, ...args: string[]) =>
      runDossier(['run', `${name}.yaml`, '--json', ...args], options),
    runAlone: (name: string) =>
      runDossier(['run', `${name}.yaml`, '--json'], { ...options, isAlone: true }),
    start: (name: string) => startDossier(['run', `${name}.yaml`], options),
    async spend(...args: string[]) {
      const { stdout, stderr } = await runDossier(
        ['spend', '--ledger', 'ledger.db', ...args],
        options,
      );
      return { stdout, stderr };
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const domainsOf = (start: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${start}${index}.com.au`);

interface SpendFigures {
  readonly entries: readonly Record<string, unknown>[];
  readonly total: Record<string, number>;
}

test('two processes that race for the last requests of a month never send more than it has', async () => {
  await using service = await openSmallService(async () => {
    await delay(5);
    return undefined;
  });
  using desk = openDesk(service);
  // A day ends once in a while; the month has the same budget, so that the test never depends on it.
  const settings = 'budget: {perDay: 21, perMonth: 21}';
  desk.write('east', { domains: domainsOf('east', 30), settings });
  desk.write('west', { domains: domainsOf('west', 30), settings });
  const ended = await Promise.all([desk.runAlone('east'), desk.runAlone('west')]);
  expect(service.seen).toHaveLength(21);
  for (const { exitCode, stderr } of ended) {
    expect(exitCode).toBe(75);
    expect(stderr).toMatch(
      /BUDGET_SPENT: the budget of 21 requests a month is spent: 21 requests used this key \(\d{4}-\d\d\)/,
    );
    expect(stderr).toMatch(/free again at \d{4}-\d\d-01 00:00 UTC/);
    expect(stderr).toContain('dossier spend');
  }
  const { stdout } = await desk.spend('--by', 'operation', '--json');
  const { total } = JSON.parse(stdout) as SpendFigures;
  expect(total).toMatchObject({ requests: 21, hits: 21 });

  // A lookup with the same key has no request left either; what the ledger knows is free.
  const lookup = (domain: string) =>
    runDossier(['lookup', domain, '--job', 'east.yaml'], { cwd: desk.path, env: service.env });
  expect((await lookup('west29.com.au')).exitCode).toBe(75);
  expect(service.seen).toHaveLength(21);
  const ledgerBytes = readFileSync(join(desk.path, 'ledger.db'));
  expect(ledgerBytes.includes(service.env.DOSSIER_API_KEY ?? '')).toBe(false);
});

test('a killed process leaves its requests reserved, so that the budget holds over the kill', async () => {
  let delayMs = 60_000;
  await using service = await openSmallService(async (_path, index) => {
    if (index >= 2) await delay(delayMs, undefined, { ref: false });
    return undefined;
  });
  using desk = openDesk(service);
  const settings = 'budget: {perDay: 12, perMonth: 12}';
  desk.write('night', { domains: domainsOf('night', 20), settings });
  await using command = desk.start('night');
  await service.untilSeen(5);
  await command.stop('SIGKILL');
  const leftBehind = service.seen.length;
  delayMs = 0;
  expect((await desk.run('night')).exitCode).toBe(75);
  expect(service.seen.length).toBeLessThanOrEqual(12);
  expect(service.seen.length).toBeGreaterThan(leftBehind);
  const { stdout } = await desk.spend('--json');
  const { total } = JSON.parse(stdout) as SpendFigures;
  expect(total.requests).toBe(12);
});

test('a price that is not set is unknown, never zero', async () => {
  await using service = await openSmallService();
  using desk = openDesk(service);
  const settings = (people: string) =>
    `service: {price: {company: 0.12, currency: AUD${people}}}\npeople: {seniority: [1]}`;
  const domains = ['one.com.au', 'two.com.au'];
  desk.write('unknown', { domains, settings: settings('') });
  const plan = async (...args: string[]) => {
    const options = { cwd: desk.path, env: service.env };
    return (await runDossier(['plan', 'unknown.yaml', ...args], options)).stdout;
  };
  expect(await plan()).toMatch(/price\s+unknown/);
  expect(JSON.parse(await plan('--json'))).toMatchObject({ price: null });
  const { stdout, stderr } = await desk.run('unknown');
  const money = { currency: 'AUD', amount: 0.24 };
  expect(JSON.parse(stdout)).toMatchObject({ requests: 6, money: [money], unpriced: 4 });
  expect(stderr).toMatch(/spent\s+AUD 0\.24, and 4 requests whose price is not set/);
  const { total } = JSON.parse((await desk.spend('--json')).stdout) as SpendFigures;
  expect(total).toMatchObject({ requests: 6, unpriced: 4, money: [money] });
  desk.write('unknown', { domains: ['three.com.au'], settings: settings(', people: 0') });
  expect(JSON.parse(await plan('--json'))).toMatchObject({ price: { currency: 'AUD' } });
});

test('what was paid is shown in requests and money, and what may have been charged apart from it', async () => {
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
  using desk = openDesk(service);
  const price = '{company: 0.12, people: 0.02, currency: AUD, charged: hits}';
  desk.write('paid', {
    domains: ['slow.com.au', 'busy.com.au', 'broken.com.au', 'unknown.com.au'],
    settings: `service: {price: ${price}}\npeople: {seniority: [1]}`,
  });
  const { exitCode, stdout: ran, stderr } = await desk.run('paid');
  expect(exitCode, stderr).toBe(0);
  expect(service.seen).toHaveLength(13);
  const money = { currency: 'AUD', amount: 0.48 };
  const possibleMoney = { currency: 'AUD', amount: 0.12 };
  const both = { money: [money], possibleMoney: [possibleMoney] };
  const counted = { requests: 10 };
  expect(JSON.parse(ran)).toMatchObject({ ...counted, ...both, wholeRun: both });
  const text = 'AUD 0.48, possibly AUD 0.12 more';
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`spent ${text}`);
  const files = JSON.parse(readFileSync(join(desk.path, 'output/paid/manifest.json'), 'utf8'));
  expect(files).toMatchObject({ ...counted, ...both });

  // The miss costs nothing, since only hits are charged; the other free requests were sent again.
  const by = await desk.spend('--by', 'job', '--by', 'operation', '--json');
  const { entries, total } = JSON.parse(by.stdout) as SpendFigures;
  expect(entries).toMatchObject([
    { job: 'paid', operation: 'company', requests: 4, hits: 3, possiblyCharged: 1 },
    { job: 'paid', operation: 'people', requests: 6, hits: 6, money: [{ amount: 0.12 }] },
  ]);
  expect(total).toMatchObject({ ...counted, ...both });
  expect((await desk.spend()).stdout).toContain(text);
  const dossier = (...args: string[]) =>
    runDossier([...args, '--ledger', 'ledger.db'], { cwd: desk.path });
  expect((await dossier('status', 'paid')).stdout).toContain(`${text}, for 10 requests`);
  expect((await dossier('spend', 'payd')).stderr).toContain('did you mean paid?');
});
