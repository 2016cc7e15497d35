import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { domainOf } from './sample-companies.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

/** Companies 0 to 3 are known; row 4 names the first again, rows 5 and 6 are rejected. */
const rows = [
  ['eu', '0042', domainOf(0)],
  ['eu', '0043', domainOf(1)],
  ['us', '0044', domainOf(9)],
  ['us', '0045', `https://www.${domainOf(0)}/about`],
  ['us', '0046', 'somebody@gmail.com'],
  ['us', '0047', ''],
];

const list = (header: string, cells: readonly (readonly string[])[]) =>
  [header, ...cells.map((row) => row.join(','))].join('\n');

function writeJob({ write }: Workplace, input: object = {}): string {
  const job = {
    name: 'leads',
    input: { path: 'leads.csv', ...input },
    identify: [{ column: 'website' }],
    people: { seniority: 3 },
  };
  return write('job.yaml', JSON.stringify(job, null, 1));
}

/** What a run gave, by row key, without the numbers of rows. */
function byKey({ records }: Workplace) {
  const rowsOf = (table: string) =>
    Object.fromEntries(
      records(`${table}.jsonl`).map(({ row_key, row_number: _, ...record }) => [
        row_key as string,
        record,
      ]),
    );
  const people = records('people.jsonl').map(({ person_id, row_keys }) => [
    person_id as string,
    (row_keys as string[]).toSorted(),
  ]);
  const [companies, rejects] = [rowsOf('companies'), rowsOf('rejects')];
  return { companies, rejects, people: Object.fromEntries(people) };
}

async function runNotes(workplace: Workplace, job: string): Promise<string[]> {
  const finished = await succeeded(workplace.run([job]));
  return (JSON.parse(finished.stdout) as { notes: string[] }).notes;
}

test('a reordered list gives the same records under the same keys', async () => {
  await using workplace = await openWorkplace({ companies: 4, people: 2 });
  const job = writeJob(workplace);
  const unlike = rows.filter((_, index) => index !== 3);
  for (const [header, given] of [
    ['region,crm_id,website', rows],
    ['region,notes,website', unlike],
  ] as const) {
    workplace.write('leads.csv', list(header, given));
    await runNotes(workplace, job);
    const first = byKey(workplace);
    expect(Object.keys(first.companies)).toHaveLength(given.length);
    const asked = workplace.asked().length;
    workplace.write('leads.csv', list(header, given.toReversed()));
    expect(await runNotes(workplace, job)).toEqual([]);
    expect(byKey(workplace)).toEqual(first);
    expect(workplace.asked()).toHaveLength(asked);
  }
});

test('a detected key stays until its column is gone', async () => {
  await using workplace = await openWorkplace({ companies: 4, people: 1 });
  const job = writeJob(workplace);
  workplace.write('leads.csv', list('region,crm_id,website', rows));
  expect(await runNotes(workplace, job)).toEqual([
    'Rows are identified by "crm_id"; choose other columns with input.key in a job.',
  ]);
  const first = byKey(workplace);
  expect(Object.keys(first.companies)).toEqual(rows.map(([, id]) => id));
  expect(Object.keys(first.rejects)).toEqual(['0044', '0046', '0047']);
  expect(first.people).toMatchObject({ 'c_0-3-0': ['0042', '0045'], 'c_1-3-0': ['0043'] });

  // A better name and a repeat change nothing: the rows of last night are found by what they had.
  const repeated = rows.map(([, id, site], index) => [
    `r${index}`,
    index === 4 ? '0043' : index === 5 ? '' : (id ?? ''),
    site ?? '',
  ]);
  workplace.write('leads.csv', list('id,crm_id,website', repeated));
  expect(await runNotes(workplace, job)).toEqual([
    'Row 5 has the same "crm_id", "0043", as row 2. Each stays in the result. If these are different rows, name a unique column with input.key in a job.',
  ]);
  const keys = Object.keys(byKey(workplace).companies);
  expect(keys.slice(0, 5)).toEqual(['0042', '0043', '0044', '0045', '0043#2']);
  expect(keys[5]).toMatch(/^[0-9a-f]{16}$/);

  workplace.write('leads.csv', list('region,number,website', rows));
  expect(await runNotes(workplace, job)).toEqual([
    'Rows are now identified by a hash of their identifiers, not by "crm_id", so every row counts as new.',
    'Row 4 has the same identifiers as row 1. Each stays in the result, and one call serves them.',
  ]);
  const [key, , , same] = workplace.records('companies.jsonl').map(({ row_key }) => row_key);
  expect(same).toBe(`${String(key)}#2`);
});
