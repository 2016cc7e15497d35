import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { companyOf, found, listOfDomains, numberAsked, peopleOf } from './sample-companies.ts';
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
