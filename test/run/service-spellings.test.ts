import { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Call, CallResult } from '../../src/core/contract/call.ts';
import { upgradeSchema } from '../../src/engine/ledger/file/ledger-file.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { planJob } from '../../src/run/plan-job.ts';
import { runJob } from '../../src/run/run-job.ts';
import { hitOf, miss } from '../support/answers.ts';
import { succeeded } from '../support/run-dossier.ts';
import { answeredBy } from '../support/run-parts.ts';
import { openSmallService } from '../support/small-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { companyDataService, jobOver } from '../support/test-job.ts';
import { openFolder } from '../support/work-folder.ts';

const url = 'http://127.0.0.1:9';
/** As version 0.9.0 stored `http://127.0.0.1:9?`. */
const formerUrl = `${url}/?`;

/** Knows one company by its domain and ABN, with a page of people. */
function answer(call: Call): CallResult {
  if (call.operation === 'people') return hitOf([{ person_id: 'p_1', position: 'CEO' }]);
  const { value } = call.identifier;
  const company = { id: 'c_1', fqdn: 'acme.com.au', industry_codes: { abn: '51824753556' } };
  const isCompany = value === company.fqdn || value === company.industry_codes.abn;
  return isCompany ? hitOf(company, company.id) : miss;
}

const search = { seniority: '3', department: undefined, position: undefined };

function jobIn(folder: string, rows: readonly string[], changes: Partial<ResolvedJob> = {}) {
  const job = jobOver(folder, [], {
    identify: [
      { column: 'website', as: 'auto' },
      { column: 'abn', as: 'auto' },
    ],
    people: { searches: [search], pageSize: 9, maxPerCompany: 9 },
    services: [{ ...companyDataService, url: formerUrl }],
    ...changes,
  });
  writeFileSync(job.input.path, ['website,abn', ...rows].join('\n'));
  return job;
}

/** All but the tables, which are those of this version. */
function upgrade(path: string) {
  const db = new Database(path);
  db.transaction(upgradeSchema)(db);
  db.close();
}

test('answers that are stored under another spelling of the service are not bought again', async () => {
  using folder = temporaryFolder();
  const asked: Call[] = [];
  const parts = answeredBy((call) => {
    asked.push(call);
    return answer(call);
  });
  const now: Partial<ResolvedJob> = { services: [{ ...companyDataService, url, formerUrl }] };
  const rows = ['acme.com.au,', 'missing.com.au,'];
  await runJob(jobIn(folder.path, rows), parts);
  rows.push('gone.com.au,51824753556');
  // The answer to the domain also answers the ABN.
  await runJob(jobIn(folder.path, rows), parts);
  expect(asked.length).toBe(5);
  asked.length = 0;
  const { ledger: path } = jobIn(folder.path, rows);
  upgrade(path);

  // The same list, then other rows with known, then with unknown calls.
  for (const more of [[], ['other.com.au,'], ['acme.com.au,51824753556']]) {
    rows.push(...more);
    const job = jobIn(folder.path, rows, now);
    const plan = await planJob(job, { clock: systemClock });
    const ended = await runJob(job, parts);
    expect(ended.counts.rows.matched).toBe(rows.filter((row) => /acme|518/.test(row)).length);
    expect(plan.calls.companies).toBe(asked.length);
    expect(asked.splice(0).map((call) => call.operation)).toEqual(
      more[0] === 'other.com.au,' ? ['company'] : [],
    );
  }
  // Even a job that never wrote the other spelling finds its answers.
  const plain = jobIn(folder.path, rows, {
    name: 'plain',
    services: [{ ...companyDataService, url }],
  });
  expect((await planJob(plain, { clock: systemClock })).calls.companies).toBe(0);
  await runJob(plain, parts);
  expect(asked).toEqual([]);
  using ledger = openLedger(path);
  expect(ledger.calls.hasEverFound(url)).toBe(true);
  for (const { id, services } of ledger.runs.list('leads')) {
    const run = ledger.runs.get(id);
    const rows = run ? ledger.records(undefined).at(run, [3]) : [];
    const shown = rows.map(({ record }) => [record.missed?.length, record.status]);
    expect(shown).toEqual(id === 1 ? [] : [[1, 'matched']]);
    expect(services).toEqual([url]);
  }
});

test('all spellings of a service share answers and the budget of a day', async () => {
  await using service = await openSmallService();
  const job = 'name: leads\ninput: {path: leads.csv}\nbudget: {perDay: 5}\n';
  const listOf = (rows: number) =>
    `website\n${Array.from({ length: rows }, (_, row) => `site${row}.com.au\n`).join('')}`;
  using folder = openFolder({ 'job.yaml': job, 'leads.csv': listOf(3) }, service.env);
  const runAt = (spelling: string) => folder.dossier(`run job.yaml --url ${spelling}`);
  await succeeded(runAt(`${service.url}?`));
  for (const spelling of [
    `${service.url}//`,
    service.url.replace('http', 'HTTP'),
    `${service.url}/#`,
  ])
    await succeeded(runAt(spelling));
  expect(service.seen).toHaveLength(3);
  folder.write('leads.csv', listOf(9));
  expect((await runAt(`${service.url}/%2e`)).exitCode).toBe(75);
  expect(service.seen).toHaveLength(5);
});
