import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Facets, RowsPage } from '../../../src/ui/workbench/api/rows.ts';
import type { WholeRow } from '../../../src/ui/workbench/api/whole-row.ts';
import { openTables } from '../../../src/ui/workbench/rows/open-tables.ts';
import { findRows } from '../../../src/ui/workbench/rows/read-page.ts';
import { canMount, mountSmallDisk } from '../../faults/support/disks.ts';
import { endOf } from '../../journeys/workplace.ts';
import { testIf } from '../../support/needs.ts';
import {
  countsOf,
  numbersOf,
  openFolder,
  openPageOver,
  type WorkbenchFolder,
} from './support/workbench-folder.ts';

const rows = 40;
const listOf = (siteOf: (row: number) => string) =>
  ['Name,Website', ...Array.from({ length: rows }, (_, at) => `Firm ${at},${siteOf(at)}`)].join(
    '\n',
  );
const company = (domain: string, name = `Company of ${domain}`) => ({
  body: JSON.stringify({ id: `c_${domain}`, name, fqdn: domain }),
});
const job = 'leads.csv';
const runFlags = ['--rate', 'none', '--concurrency', '4', '--format', 'jsonl'];

describe('while a run goes on', () => {
  test('rows are there at once, fill in, and survive a kill', async () => {
    const gate = Promise.withResolvers<void>();
    await using folder = await openFolder(async (domain, index) => {
      if (index >= 10) await gate.promise;
      return company(domain);
    });
    folder.write(
      job,
      listOf((row) => (row === 7 ? 'x@gmail.com' : `s${row}.com.au`)),
    );
    await using page = await openPageOver(folder.path);
    expect(await page.status('rows', { job })).toEqual([422, 'RUN_MISSING']);
    const started = folder.start('run', job, ...runFlags);
    const until = async (matched: number) => {
      for (;;) {
        const [status] = await page.status('facets', { job });
        const facets = status === 200 ? await page.get<Facets>('facets', { job }) : undefined;
        if (facets && countsOf(facets, 'status').matched === matched) return facets;
        await sleep(20);
      }
    };
    expect(countsOf(await until(10), 'status')).toEqual({ open: 29, matched: 10, invalid: 1 });
    const plain = await page.get<RowsPage>('rows', { job });
    expect(plain).toMatchObject({ all: rows, total: rows, rows: { length: rows } });
    const open = await page.get<RowsPage>('rows', { job, facets: { status: ['open'] } });
    expect(open.total).toBe(29);
    const asked = await page.get<WholeRow>('row', { job, number: numbersOf(open)[0] });
    expect(asked).toMatchObject({ row: { status: 'open' }, asked: [{ outcome: 'open' }] });
    using tables = openTables();
    const terms = { names: { seniority: {}, department: {} }, staleMs: 0 };
    const of = { ledger: join(folder.path, 'output/ledger.db'), job: 'leads', run: 1, terms };
    const download = { facets: { status: ['open'] }, columns: ['row_number'] };
    tables.of(of);
    while (tables.step());
    const { numbers } = findRows(tables.of(of), download);
    expect(numbers).toHaveLength(29);

    started.process.kill('SIGKILL');
    await endOf(started.process);
    expect((await page.get<RowsPage>('rows', { job, facets: { status: ['open'] } })).total).toBe(
      29,
    );
    gate.resolve();
    await folder.dossier('run', job, ...runFlags);
    const whole = await page.untilWhole({ job });
    expect(countsOf(whole, 'status')).toEqual({ matched: 39, invalid: 1 });
    expect(whole.run).toBe('r1');
    const found = await page.get<RowsPage>('rows', { job, search: 'company of s39' });
    expect(numbersOf(found)).toEqual([40]);
  });
});

test('a row shows the people of its company, the pages as they came, and its longest cell', async () => {
  const people = '[{"person_id":"p_1","position":"CEO"},{"person_id":"p_2","position":"CFO"}]';
  await using folder = await openFolder((domain) =>
    domain === '' ? { body: people } : company(domain),
  );
  const note = 'x'.repeat(90_000);
  folder.write(job, `Website,Note\ns1.com.au,short\ns2.com.au,${note}\n`);
  folder.write(
    'leads.yaml',
    [
      ...['name: leads', 'input: {path: leads.csv}', 'output: {path: out}'],
      ...['people: {seniority: [3]}', 'limits: {rate: none}'],
    ].join('\n'),
  );
  await folder.dossier('run', 'leads.yaml');
  await using page = await openPageOver(folder.path);
  const ofSecond = { job: 'leads.yaml', number: 2 };
  const { people: found, list } = await page.get<WholeRow>('row', ofSecond);
  const at = found?.columns.findIndex(({ name }) => name === 'position') ?? -1;
  expect(found).toMatchObject({ total: 2, isStale: false });
  expect(found?.people.map((person) => person[at])).toEqual(['CEO', 'CFO']);
  expect(list[1]).toEqual({ header: 'Note', cell: note, isCut: false });
  // The table has its beginning alone.
  const columns = ['input_note'];
  const { rows: shown } = await page.get<RowsPage>('rows', { job: 'leads.yaml', columns });
  expect(shown[1]?.cells[0]).toMatch(/^x{2000}… \(90,000 characters; open the row for more\)$/);
  expect(shown.map(({ cut = [] }) => cut.join())).toEqual(
    shown.map((_, at) => (at === 1 ? 'input_note' : '')),
  );
});

describe('what becomes of the index', () => {
  let folder: WorkbenchFolder;
  let ledger: string;
  let isSecondNight = false;
  beforeAll(async () => {
    folder = await openFolder((domain) =>
      company(domain, isSecondNight && domain === 's3.com.au' ? 'Another name' : undefined),
    );
    folder.write(
      job,
      listOf((row) => `s${row}.com.au`),
    );
    await folder.dossier('run', job, ...runFlags);
    ledger = join(folder.path, 'output/ledger.db');
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const index = (name = 'r1.db') => join(`${ledger}-workbench`, name);
  /** What a page that is opened anew finds. */
  const look = async () => {
    await using page = await openPageOver(folder.path);
    await page.untilWhole({ job });
    const query = { job, search: 's1', sort: 'company_name', descending: true };
    return numbersOf(await page.get<RowsPage>('rows', query));
  };
  const found = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 2];

  test('it lies beside the ledger, and is taken up again', async () => {
    expect(await look()).toEqual(found);
    const { mtimeMs } = statSync(index());
    expect(await look()).toEqual(found);
    expect(statSync(index()).mtimeMs).toBe(mtimeMs);
  });

  test('deleted or damaged in any way, it is made anew', async () => {
    const damages = [
      () => rmSync(`${ledger}-workbench`, { recursive: true }),
      () => writeFileSync(index(), 'this is no database, and never was one'.repeat(100)),
      () => truncateSync(index(), 20_000),
      () => writeFileSync(index(), Buffer.alloc(60_000, 7), { flag: 'r+' }),
    ];
    for (const damage of damages) {
      damage();
      expect(await look(), `${damage}`).toEqual(found);
    }
  });

  test('damage during the work is met as well', async () => {
    await using page = await openPageOver(folder.path);
    await page.untilWhole({ job });
    for (const name of readdirSync(`${ledger}-workbench`)) {
      writeFileSync(index(name), Buffer.alloc(200_000, 7));
    }
    await page.get<RowsPage>('rows', { job, search: 's1' });
    await page.untilWhole({ job });
    expect((await page.get<RowsPage>('rows', { job, search: 's1' })).total).toBe(found.length);
  });

  test('two workbenches over one folder agree, though only one has the file', async () => {
    await using one = await openPageOver(folder.path);
    await one.untilWhole({ job });
    await using other = await openPageOver(folder.path);
    await other.untilWhole({ job });
    const query = { job, search: 's1' };
    expect(numbersOf(await other.get<RowsPage>('rows', query))).toEqual(
      numbersOf(await one.get<RowsPage>('rows', query)),
    );
  });

  test('where it may not be beside the ledger, it is elsewhere', async () => {
    rmSync(`${ledger}-workbench`, { recursive: true });
    writeFileSync(`${ledger}-workbench`, 'a file, where a folder should be');
    expect(await look()).toEqual(found);
    rmSync(`${ledger}-workbench`);
  });

  testIf(canMount, 'this user may not mount a small disk')(
    'on a full disk the table works on, without search',
    async () => {
      rmSync(`${ledger}-workbench`, { recursive: true, force: true });
      await look();
      rmSync(index());
      using _ = mountSmallDisk(`${ledger}-workbench`, 40);
      await using page = await openPageOver(folder.path);
      for (;;) {
        const { index: state } = await page.get<RowsPage>('rows', { job });
        if (state.problem !== null) break;
        await sleep(20);
      }
      const plain = await page.get<RowsPage>('rows', { job });
      expect(plain.index).toMatchObject({
        isWhole: false,
        problem: expect.stringMatching(/full|disk/),
      });
      expect(numbersOf(plain)).toHaveLength(rows);
      expect((await page.get<RowsPage>('rows', { job, search: 's1' })).total).toBe(0);
    },
  );

  test('the second night shows what has changed; a pruned night is refused, its index removed', async () => {
    await look();
    isSecondNight = true;
    await folder.dossier('run', job, ...runFlags, '--refresh', 'all');
    await using page = await openPageOver(folder.path);
    const facets = await page.untilWhole({ job });
    expect([facets.run, countsOf(facets, 'changed')]).toEqual(['r2', { yes: 1 }]);
    const changed = await page.get<RowsPage>('rows', { job, facets: { changed: ['yes'] } });
    expect(changed.rows.map(({ number, isChanged }) => [number, isChanged])).toEqual([[4, true]]);
    expect(countsOf(await page.untilWhole({ job, run: 'r1' }), 'changed')).toEqual({});
    expect(existsSync(index('r1.db'))).toBe(true);
    await folder.dossier('ledger', 'prune', '--keep-runs', '1', '--older-than', '0s');
    expect(await page.status('rows', { job, run: 'r1' })).toEqual([422, 'RUN_MISSING']);
    expect(await look()).toHaveLength(found.length);
    expect(existsSync(index('r1.db'))).toBe(false);
    expect(existsSync(index('r2.db'))).toBe(true);
  });

  test('a damaged answer is told, and nothing of it is shown', async () => {
    const db = new Database(ledger);
    db.exec(`update answer set checksum = checksum + 1 where company_id = 'c_s9.com.au'`);
    db.close();
    rmSync(`${ledger}-workbench`, { recursive: true, force: true });
    await using page = await openPageOver(folder.path);
    expect(countsOf(await page.untilWhole({ job }), 'reason')).toEqual({ damaged_answer: 1 });
    expect(await page.get<WholeRow>('row', { job, number: 10 })).toMatchObject({
      row: { status: 'failed', reason: 'damaged_answer' },
      company: null,
    });
  });
});
