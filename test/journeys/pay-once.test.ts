import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensurePages } from '../support/built-page.ts';
import { succeeded } from '../support/run-dossier.ts';
import { abnsOf, domainOf, listOfDomains, slugOf } from './sample-companies.ts';
import { openWorkplace, outputsIn, summaryOf, type Workplace } from './workplace.ts';

beforeAll(ensurePages);

function writeJob({ write }: Workplace, changes: object = {}): string {
  const job = { name: 'leads', input: { path: 'leads.csv' }, ...changes };
  return write('job.yaml', JSON.stringify(job));
}

function askedFor(workplace: Workplace, from = 0) {
  const asked = workplace.asked().slice(from);
  return {
    companies: asked.filter((text) => text.startsWith('/company?')),
    people: asked.filter((text) => text.startsWith('/people/')),
  };
}

test('rows with the same company in other spellings cost one call', async () => {
  await using workplace = await openWorkplace({ companies: 3 });
  const spellings = ['https://www.D/about', 'D', 'WWW.D', '"D "', 'info@D', 'http://D:80'];
  const rows = spellings.map((spelling) => spelling.replace('D', domainOf(0)));
  workplace.write('leads.csv', ['website', ...rows, domainOf(1), domainOf(9)].join('\n'));
  const finished = await succeeded(workplace.run([writeJob(workplace)]));
  expect(summaryOf(finished)).toMatchObject({ rows: { matched: 7, not_found: 1 } });
  expect(workplace.asked()).toHaveLength(3);
  expect(finished.stderr).toContain('calls saved   5: 5 with the same identifier\n');
  expect(JSON.parse(workplace.read('output/manifest.json'))).toMatchObject({
    calls: { made: 3, saved: 5 },
  });
  expect(workplace.read('output/report.html')).toContain('"saved":5');
});

test('a company under three identifiers costs three lookups, and its people one search', async () => {
  await using workplace = await openWorkplace({ companies: 3, people: 0 });
  const names = [domainOf(0), abnsOf[0], `linkedin.com/company/${slugOf(0)}`, domainOf(0)];
  workplace.write('leads.csv', ['website', ...names].join('\n'));
  const people = { seniority: [3, 4], department: [2] };
  const job = writeJob(workplace, { identify: [{ column: 'website' }], people });
  await succeeded(workplace.run([job]));
  const { companies, people: searches } = askedFor(workplace);
  expect(companies).toHaveLength(3);
  expect(searches).toHaveLength(2);
  expect(new Set(workplace.records('companies.jsonl').map((row) => row.company_id)).size).toBe(1);
  expect(workplace.records('companies.jsonl').map((row) => row.match)).toEqual(
    Array.from({ length: 4 }, () => 'exact'),
  );
});

test('a known company is not looked up again by another identifier, and match says joined', async () => {
  await using workplace = await openWorkplace({ companies: 3 });
  const job = writeJob(workplace, { identify: [{ column: 'website' }] });
  const runOver = async (...names: (string | undefined)[]) => {
    workplace.write('leads.csv', ['website', ...names].join('\n'));
    await succeeded(workplace.run([job]));
    return workplace.records('companies.jsonl').map((row) => [row.company_id, row.match]);
  };
  await runOver(domainOf(0));
  const names = [abnsOf[0], `linkedin.com/company/${slugOf(0)}`, domainOf(0)];
  const expected = [
    ['c_0', 'joined'],
    ['c_0', 'joined'],
    ['c_0', 'exact'],
  ];
  expect(await runOver(...names)).toEqual(expected);
  expect(workplace.asked()).toHaveLength(1);
  expect(await runOver(...names)).toEqual(expected);
});

test('a finished job pays only for what is new or expired', async () => {
  await using workplace = await openWorkplace({ companies: 4, people: 3 });
  workplace.write('leads.csv', listOfDomains(5));
  const people = { seniority: [3] };
  await workplace.run([writeJob(workplace, { people })]);
  const before = outputsIn(workplace.folder);
  const bytes = workplace.read('output/companies.jsonl');
  expect(askedFor(workplace).companies).toHaveLength(5);
  // A page with three people, and an empty one that says so.
  expect(askedFor(workplace).people).toHaveLength(8);

  const asksFor = async (changes: object) => {
    const from = workplace.seen.length;
    await succeeded(workplace.run([writeJob(workplace, { people, ...changes })]));
    return askedFor(workplace, from);
  };
  expect(await asksFor({})).toEqual({ companies: [], people: [] });
  expect(workplace.read('output/companies.jsonl')).toBe(bytes);

  const wider = await asksFor({ people: { seniority: [3, 4] } });
  expect(wider.companies).toEqual([]);
  expect(wider.people).toHaveLength(8);
  expect(wider.people.every((text) => text.includes('"seniority":"4"'))).toBe(true);

  const hits = await asksFor({ reuse: { companies: 0 } });
  expect(hits.companies).toHaveLength(4);
  expect(hits.people).toEqual([]);
  const misses = await asksFor({ reuse: { misses: 0 } });
  expect(misses.companies).toHaveLength(1);
  expect(misses.people).toEqual([]);
  const searches = await asksFor({ reuse: { people: 0 } });
  expect(searches.companies).toEqual([]);
  expect(searches.people).toHaveLength(8);
  expect(outputsIn(workplace.folder)).toEqual(before);
});

const nothing = { companies: 0, misses: 0, people: 0 };

test('a stopped run goes on without paying twice when its list is touched or piped in', async () => {
  await using workplace = await openWorkplace({ companies: 9 });
  workplace.write('leads.csv', listOfDomains(12));
  const job = writeJob(workplace, { reuse: nothing });
  const stopped = await workplace.run([job, '--max-calls', '4']);
  expect(stopped.exitCode, stopped.stderr).toBe(75);
  utimesSync(join(workplace.folder, 'leads.csv'), new Date(0), new Date(0));
  const touched = await workplace.run([job, '--max-calls', '4']);
  expect(touched.exitCode, touched.stderr).toBe(75);
  const input = workplace.read('leads.csv');
  const piped = await succeeded(workplace.run([job, '--input', '-'], { input }));
  expect(summaryOf(piped)).toMatchObject({ resumed: true, calls: { made: 4 } });
  expect(workplace.asked()).toHaveLength(12);
  expect(workplace.records('companies.jsonl')).toHaveLength(12);

  // The run has finished, and reuse is 0.
  const again = await workplace.run([job]);
  expect(summaryOf(again)).toMatchObject({ resumed: false, calls: { made: 12 } });
});

test('a stopped run is paid for once even if its list changed, and after --limit', async () => {
  await using workplace = await openWorkplace({ companies: 9 });
  workplace.write('leads.csv', listOfDomains(6));
  const job = writeJob(workplace, { reuse: nothing });
  await workplace.run([job, '--max-calls', '4']);
  workplace.write('leads.csv', listOfDomains(9));
  await workplace.run([job, '--max-calls', '2']);
  await succeeded(workplace.run([job, '--limit', '2']));
  workplace.write('leads.csv', listOfDomains(12));
  const finished = await succeeded(workplace.run([job]));
  expect(summaryOf(finished)).toMatchObject({ resumed: false, rows: { total: 12 } });
  expect(workplace.asked()).toHaveLength(12);
});
