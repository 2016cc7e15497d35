import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { WholeRow } from '../../../../src/ui/workbench/api/answers.ts';
import { endOf } from '../../../journeys/workplace.ts';
import { openUiHere } from '../../../support/open-ui.ts';
import { countsOf, numbersOf, openFolder, tableOf } from '../support/workbench-folder.ts';

const rows = 40;
const listOf = (siteOf: (row: number) => string) =>
  ['Name,Website', ...Array.from({ length: rows }, (_, at) => `Firm ${at},${siteOf(at)}`)].join(
    '\n',
  );
const job = 'leads.csv';
const runFlags = ['--rate', 'none', '--concurrency', '4', '--format', 'jsonl'];

test('while a run goes on its rows are there at once, fill in, survive a kill, and can be forgotten', async () => {
  const gate = Promise.withResolvers<void>();
  await using folder = await openFolder(async (_, index) => {
    if (index >= 10) await gate.promise;
    return undefined;
  });
  folder.write(
    job,
    listOf((row) => (row === 7 ? 'x@gmail.com' : `s${row}.com.au`)),
  );
  await using ui = await openUiHere(folder.path, folder.env);
  const table = tableOf(ui, job);
  expect((await table.post('rows', {})).body).toMatchObject({ code: 'RUN_MISSING' });
  const started = folder.start('run', job, ...runFlags);
  const isThere = async () => (await table.post('facets', {})).status === 200;
  const matched = async () =>
    (await isThere()) ? countsOf(await table.facets(), 'status').matched : 0;
  await expect.poll(matched, { timeout: 20_000 }).toBe(10);
  expect(countsOf(await table.facets(), 'status')).toEqual({ open: 29, matched: 10, invalid: 1 });
  expect(await table.rows()).toMatchObject({ all: rows, total: rows, rows: { length: rows } });
  const open = await table.rows({ facets: { status: ['open'] } });
  expect(open.total).toBe(29);
  const query = { job, number: `${numbersOf(open)[0]}` };
  const { body: row } = await ui.ask<WholeRow>('row', { query });
  expect(row).toMatchObject({ row: { status: 'open' }, identifiers: [{ result: 'open' }] });

  started.process.kill('SIGKILL');
  await endOf(started.process);
  expect((await table.rows({ facets: { status: ['open'] } })).total).toBe(29);
  gate.resolve();
  await folder.dossier('run', job, ...runFlags);
  const whole = await table.untilWhole();
  expect(countsOf(whole, 'status')).toEqual({ matched: 39, invalid: 1 });
  const search = 'company of s39';
  expect(numbersOf(await table.rows({ search }))).toEqual([40]);
  await folder.dossier('forget', 's39.com.au');
  await table.rows();
  await table.untilWhole();
  expect(numbersOf(await table.rows({ search }))).toEqual([]);
});

test('a row shows the people of its company, the pages as they came, and its longest cell', async () => {
  const people = '[{"person_id":"p_1","position":"CEO"},{"person_id":"p_2","position":"CFO"}]';
  await using folder = await openFolder((domain) => (domain === '' ? { body: people } : undefined));
  // A character of two places is never cut in two.
  const [note, longest] = ['x'.repeat(90_000), `x${'😀'.repeat(60_000)}`];
  folder.write(job, `Website,Note\ns1.com.au,${longest}\ns2.com.au,${note}\n`);
  folder.write(
    'leads.yaml',
    [
      ...['name: leads', 'input: {path: leads.csv}', 'output: {path: out}'],
      ...['people: {seniority: [3]}', 'limits: {rate: none}'],
    ].join('\n'),
  );
  await folder.dossier('run', 'leads.yaml');
  await using ui = await openUiHere(folder.path, folder.env);
  const open = async (number: string) =>
    (await ui.ask<WholeRow>('row', { query: { job: 'leads.yaml', number } })).body;
  const { people: found, list } = await open('2');
  const at = found?.columns.findIndex(({ name }) => name === 'position') ?? -1;
  expect(found).toMatchObject({ total: 2, isStale: false });
  expect(found?.people.map((person) => person[at])).toEqual(['CEO', 'CFO']);
  expect(list[1]).toEqual({ header: 'Note', cell: note, isCut: false });
  const cut = (await open('1')).list[1];
  expect(cut).toMatchObject({ isCut: true, cell: expect.stringContaining('120,001 characters') });
  expect(cut?.cell?.isWellFormed()).toBe(true);
  // The table has its beginning alone.
  const { rows: shown } = await tableOf(ui, 'leads.yaml').rows({ columns: ['input_note'] });
  expect(shown[1]?.cells[0]).toMatch(/^x{2000}… \(90,000 characters; a download has them all\)$/);
  expect(shown[1]?.cut).toEqual(['input_note']);
});

test('the second night shows what has changed, and a damaged answer is told', async () => {
  let isSecondNight = false;
  await using folder = await openFolder((domain) => {
    if (domain === '') return { body: '[]' };
    return isSecondNight && domain === 's3.com.au'
      ? { body: JSON.stringify({ id: `c_${domain}`, name: 'Another name', fqdn: domain }) }
      : undefined;
  });
  folder.write(
    job,
    listOf((row) => `s${row}.com.au`),
  );
  await folder.dossier('run', job, ...runFlags);
  await using ui = await openUiHere(folder.path, folder.env);
  const [table, first] = [tableOf(ui, job), tableOf(ui, job, 'r1')];
  await table.untilWhole();
  isSecondNight = true;
  await folder.dossier('run', job, ...runFlags, '--refresh', 'all');
  const facets = await table.untilWhole();
  expect(countsOf(facets, 'changed')).toEqual({ yes: 1 });
  const changed = await table.rows({ facets: { changed: ['yes'] } });
  expect(changed.rows.map(({ number, isChanged }) => [number, isChanged])).toEqual([[4, true]]);
  expect(countsOf(await first.untilWhole(), 'changed')).toEqual({});
  // People are searched for the first time, which changes no company.
  const people = 'people: {seniority: [3]}\nlimits: {rate: none}';
  folder.write('leads.yaml', `name: leads\ninput: {path: ${job}}\n${people}`);
  await folder.dossier('run', 'leads.yaml');
  const third = tableOf(ui, 'leads.yaml', 'r3');
  expect(countsOf(await third.untilWhole(), 'changed')).toEqual({});
  const complete = await third.rows({ columns: ['people_complete'] });
  expect(complete.rows[4]).toMatchObject({ cells: [true], isChanged: false });
  await folder.dossier('ledger', 'prune', '--keep-runs', '1', '--older-than', '0s');
  expect((await first.post('rows', {})).status).toBe(422);

  const db = new Database(join(folder.path, '.home/dossier/ledger.db'));
  db.exec(
    `update answer set checksum = checksum + 1, flat_version = null where company_id = 'c_s9.com.au'`,
  );
  db.close();
  const { body } = await ui.ask<WholeRow>('row', { query: { job, number: '10' } });
  const row = { status: 'failed', reason: 'damaged_answer' };
  expect(body).toMatchObject({ row, company: null });
});
