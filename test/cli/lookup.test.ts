import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { LookupJson, lookup, planLookup } from '../../src/cli/lookup.ts';
import { rendered } from '../support/rendered.ts';
import { runDossier, startDossier } from '../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../support/small-service.ts';
import { fullCompany } from '../support/store-data.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const never = new Promise<never>(() => {});

async function lookUp(args: readonly string[], cwd: string, { env }: Pick<SmallService, 'env'>) {
  const finished = await runDossier(['lookup', ...args], { cwd, env });
  const json = finished.stdout.startsWith('{')
    ? LookupJson.parse(JSON.parse(finished.stdout))
    : undefined;
  return { ...finished, json };
}

test('a company is paid for once: hits and misses need no second call, damaged answers do', async () => {
  using folder = temporaryFolder();
  await using service = await openSmallService();
  const first = await lookUp(['acme.com', '--json'], folder.path, service);
  expect(first.json).toMatchObject({
    status: 'matched',
    source: 'called',
    spent: '1 call, price not set',
    match: 'exact',
    identifier: { kind: 'fqdn', value: 'acme.com' },
    company: { id: 'c_acme.com', name: 'Company of acme.com', fqdn: 'acme.com', network: 'page' },
  });
  // A cache hit needs no key.
  const keyless = { env: { DOSSIER_URL: service.url } };
  const again = await lookUp(['https://www.acme.com/', '--json'], folder.path, keyless);
  expect(again.json).toEqual({ ...first.json, source: 'reused', spent: null });
  const miss = await lookUp(['unknown.com'], folder.path, service);
  expect(miss.exitCode).toBe(3);
  expect(miss.stdout).toMatch(/^no company: Domain unknown.com in AU\n/);
  const missAgain = await lookUp(['unknown.com', '--json'], folder.path, service);
  expect(missAgain.exitCode).toBe(3);
  expect(missAgain.json).toMatchObject({ status: 'not_found', company: null, source: 'reused' });
  expect(service.seen).toHaveLength(2);

  const db = new Database(join(folder.path, '.home/dossier/ledger.db'));
  db.exec(`update answer set checksum = checksum + 1`);
  db.close();
  const { json, exitCode } = await lookUp(['acme.com', '--json'], folder.path, service);
  expect(exitCode).toBe(0);
  expect(json).toMatchObject({ source: 'called', company: { id: 'c_acme.com' } });
  expect(service.seen).toHaveLength(3);
});

test('people are searched once', async () => {
  using folder = temporaryFolder();
  await using service = await openSmallService();
  const args = ['acme.com', '--people', '--country', 'New Zealand'];
  const { stdout, exitCode } = await lookUp(args, folder.path, service);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^people\n {2}position/m);
  const [company, ...pages] = service.seen;
  expect(company?.path).toContain('country=NZ');
  expect(JSON.parse(pages[0]?.body ?? '')).toEqual({
    companyId: 'c_acme.com',
    selectedCountry: 'NZ',
    from: '0',
    size: '50',
  });
  const calls = service.seen.length;
  const { json } = await lookUp([...args, '--json'], folder.path, service);
  expect(json?.people).toMatchObject([{ person_id: 'p_1', position: 'CEO' }]);
  expect(JSON.stringify(json?.people)).not.toContain('row_');
  expect(service.seen).toHaveLength(calls);
});

test('--job uses the searches of the job; a failed search ends with 3', async () => {
  using folder = temporaryFolder();
  await using service = await openSmallService((path) =>
    path.startsWith('/people') ? { status: 500, body: 'no' } : undefined,
  );
  writeFileSync(
    join(folder.path, 'job.yaml'),
    'name: leads\ninput: {path: leads.csv}\npeople: {position: Head of Sales}\nlimits: {attempts: 1}\nledger: own.db\n',
  );
  const { json, exitCode } = await lookUp(
    ['acme.com', '--people', '--job', 'job.yaml', '--json'],
    folder.path,
    service,
  );
  expect(exitCode).toBe(3);
  expect(json).toMatchObject({ status: 'matched', people: [], failedSearches: 1 });
  expect(service.seen[1]?.body).toContain('"position":"Head of Sales"');
  expect(existsSync(join(folder.path, 'own.db'))).toBe(true);
});

test('a killed lookup blocks no other, and status lists its calls as possibly charged', async () => {
  using folder = temporaryFolder();
  await using service = await openSmallService((_, index) => (index === 0 ? never : undefined));
  const { env } = service;
  await using killed = startDossier(['lookup', 'acme.com'], { cwd: folder.path, env });
  await service.untilSeen(1);
  await killed.stop('SIGKILL');

  const status = async () => {
    const { stdout } = await runDossier(['status', '--json'], { cwd: folder.path });
    return JSON.parse(stdout).lookups;
  };
  const possiblyCharged = ['company?country=AU&fqdn=acme.com'];
  expect(await status()).toMatchObject({ count: 1, possiblyCharged });
  const next = await lookUp(['acme.com', '--json'], folder.path, service);
  expect(next.json).toMatchObject({ status: 'matched', source: 'called' });
  expect(await status()).toMatchObject({ count: 2, possiblyCharged });
});

const given = {
  identifier: 'acme.com.au',
  as: 'auto' as const,
  country: undefined,
  people: false,
  job: undefined,
  suppress: undefined,
  ledger: undefined,
  url: 'embedded',
  keyFile: undefined,
  share: undefined,
  rate: undefined,
  maxCalls: undefined,
  maxSpend: undefined,
  yes: false,
  json: false,
};

test.each([
  [{ identifier: 'jane@gmail.com' }, 'INPUT_INVALID', /public mail provider/],
  [{ identifier: 'acme', as: 'abn' as const }, 'INPUT_INVALID', /An ABN has 11 digits/],
  [{ country: 'Mars' }, 'USAGE', /--country Mars: The service does not cover/],
  [{ job: 'missing.yaml' }, 'JOB_INVALID', /missing.yaml does not exist/],
])('%j is refused before a call', (wrong, code, message) => {
  const plan = () => planLookup({ ...given, ...wrong });
  expect(plan).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

const found: z.output<typeof LookupJson> = {
  status: 'matched',
  reason: null,
  message: null,
  identifier: { kind: 'fqdn', value: 'otautahi-dairy-sample.co.nz' },
  country: 'NZ',
  match: 'exact',
  service: null,
  spent: null,
  source: 'reused',
  fetchedAt: '2026-08-22T04:12:09.113Z',
  company: fullCompany,
  failedSearches: 0,
};

test('a company is a card of its main fields, with its people', () => {
  const person = { position: 'CEO', network: 'the-ceo', has_email: true, has_dnd_phone: true };
  const shown = { ...found, people: [person], peopleComplete: false };
  const lines = rendered(lookup, shown, 80).split('\n');
  expect(lines[0]).toBe('Ōtautahi Dairy 株式会社');
  expect(lines).toContain('website           https://www.otautahi-dairy-sample.co.nz/en/');
  expect(lines).toContain('about             Milk, "butter" and cheese.');
  expect(lines).toContain(
    'source            the ledger (no call was made), 2026-08-22 04:12 UTC; Domain:',
  );
  expect(rendered(lookup, { ...shown, spent: 'AUD 0.05' })).not.toContain('no call was made');
  expect(lines).toContain('  CEO       the-ceo  e-mail, dnd phone');
  expect(lines).toContain('more people       possibly');
  expect(rendered(lookup, { ...shown, failedSearches: 1 })).toContain(
    'a search failed; run the lookup',
  );
});
