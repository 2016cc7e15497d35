import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import {
  companyOf,
  domainOf,
  found,
  listOfDomains,
  numberAsked,
  peopleOf,
} from './sample-companies.ts';
import { journeyKey, openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const service = { companies: 3 };

function writeJob({ write }: Workplace, people?: object): string {
  write('leads.csv', listOfDomains(4));
  const job = { name: 'leads', input: { path: 'leads.csv' }, limits: { attempts: 1 }, people };
  return write('job.yaml', JSON.stringify(job));
}

test.concurrent('what is reported of the real service works without any setting', async () => {
  await using workplace = await openWorkplace(service, ({ method, path, body }) => {
    if (method === 'GET') {
      const number = numberAsked(path);
      const { network, ...company } = companyOf(number);
      if (number < 3) return found({ ...company, linkedin: network });
      return { status: 500, body: '{"error":"Company profile not found"}' };
    }
    if (path === '/people/search') return { status: 307, headers: { location: '/v2/people' } };
    const records = peopleOf(body, 2).map((person) => ({ ...person, linkedin: 'in/somebody' }));
    return found({ success: true, total: 2, records });
  });
  const finished = await workplace.run([writeJob(workplace, { seniority: [3] })]);
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(summaryOf(finished)).toMatchObject({
    rows: { matched: 3, not_found: 1 },
    people: 6,
    calls: { made: 7 },
  });
  const [company] = workplace.records('companies.jsonl');
  expect(company).toMatchObject({ match: 'exact', company_network: companyOf(0).network });
  expect(workplace.records('people.jsonl')[0]).toMatchObject({ network: 'in/somebody' });
});

const everybody = Array.from({ length: 7 }, (_, index) => ({ person_id: `p${index}` }));

test.concurrent.each<[string, (from: number, size: number) => unknown, object, number, number]>([
  // Without a total, only an empty page shows that there is nobody left.
  ['capped', (from) => everybody.slice(from, from + 3), {}, 7, 4],
  [
    'overlapping',
    (from, size) => everybody.slice(Math.max(0, from - 1), from + size - 1),
    {},
    7,
    4,
  ],
  ['endless', () => everybody.slice(0, 4), {}, 4, 2],
  [
    'shrinking, with a total',
    (from) => ({ total: 7, records: everybody.slice(from, from + (from === 0 ? 4 : 1)) }),
    {},
    7,
    4,
  ],
  [
    'more than wanted',
    (from, size) => everybody.slice(from, from + size),
    { maxPerCompany: 5 },
    5,
    2,
  ],
  ['empty', () => [], {}, 0, 1],
])('people on pages that are %s', async (_, pageOf, limits, people, calls) => {
  await using workplace = await openWorkplace({ companies: 1 }, ({ method, body }) => {
    if (method === 'GET') return undefined;
    const { from, size } = JSON.parse(body) as { from: string; size: string };
    return found(pageOf(Number(from), Number(size)));
  });
  const job = writeJob(workplace, { seniority: [3], pageSize: 4, ...limits });
  const finished = await workplace.run([job, '--limit', '1']);
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(summaryOf(finished)).toMatchObject({ people, calls: { made: 1 + calls } });
});

test.concurrent('a search that fails in the middle keeps its first pages and is taken up later', async () => {
  let isBroken = true;
  await using workplace = await openWorkplace({ companies: 1 }, ({ method, body }) => {
    if (method === 'GET') return undefined;
    if (isBroken && body.includes('"from":"4"')) return { status: 500, body: '{}' };
    return found(peopleOf(body, 7));
  });
  const job = writeJob(workplace, { seniority: [3, 4], pageSize: 4 });
  const failed = await workplace.run([job, '--limit', '1']);
  expect(failed.exitCode, failed.stderr).toBe(3);
  expect(summaryOf(failed)).toMatchObject({ people: 8, rows: { failed: 0 }, calls: { failed: 2 } });
  isBroken = false;
  const mended = await workplace.run([job, '--limit', '1']);
  expect(mended.exitCode, mended.stderr).toBe(0);
  expect(summaryOf(mended)).toMatchObject({ people: 14, calls: { made: 4, reused: 3 } });
});

test.concurrent('an answer behind a byte order mark is read, stored and exported', async () => {
  await using workplace = await openWorkplace(service, ({ path }) => ({
    body: `\uFEFF${JSON.stringify(companyOf(numberAsked(path)))}`,
  }));
  const finished = await workplace.run([writeJob(workplace)]);
  expect(finished.exitCode, finished.stderr).toBe(0);
  expect(workplace.records('companies.jsonl')[0]).toMatchObject({ company_fqdn: domainOf(0) });
});

test.concurrent('a service that echoes the key does not bring it into a file or a log', async () => {
  await using workplace = await openWorkplace(service, ({ path, headers }) => {
    const echo = { told: headers.authorization, url: `?key=${journeyKey}` };
    const number = numberAsked(path);
    if (number === 1)
      return { status: 400, body: JSON.stringify({ error: 400, message: echo.told }) };
    if (number === 2) return { status: 500, body: JSON.stringify({ error: echo.told }) };
    return found({ ...companyOf(number), ...echo });
  });
  const job = writeJob(workplace);
  const finished = await workplace.run([job, '--log-level', 'debug']);
  expect(finished.exitCode, finished.stderr).toBe(3);
  expect(finished.stdout + finished.stderr).not.toContain(journeyKey);
  for (const name of readdirSync(join(workplace.folder, 'output'))) {
    const bytes = readFileSync(join(workplace.folder, 'output', name));
    expect(bytes.includes(journeyKey), name).toBe(false);
  }
  using ledger = openLedger(join(workplace.folder, 'output/ledger.db'));
  for (const id of [1, 2, 3, 4]) {
    expect(String(ledger.calls.body(id) ?? '')).not.toContain(journeyKey);
  }
});
