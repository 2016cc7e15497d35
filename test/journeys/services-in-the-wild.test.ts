import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { companyOf, found, listOfDomains, numberAsked, peopleOf } from './sample-companies.ts';
import { openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const service = { companies: 3 };

function writeJob({ write }: Workplace, people?: object): string {
  write('leads.csv', listOfDomains(4));
  const job = { name: 'leads', input: { path: 'leads.csv' }, limits: { attempts: 1 }, people };
  return write('job.yaml', JSON.stringify(job));
}

test('known quirks of the real service work without any setting', async () => {
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
  const finished = await succeeded(workplace.run([writeJob(workplace, { seniority: [3] })]));
  expect(summaryOf(finished)).toMatchObject({
    rows: { matched: 3, not_found: 1 },
    people: 6,
    calls: { made: 7 },
  });
  const [company] = workplace.records('companies.jsonl');
  expect(company).toMatchObject({ match: 'exact', company_network: companyOf(0).network });
  expect(workplace.records('people.jsonl')[0]).toMatchObject({ network: 'in/somebody' });
});
