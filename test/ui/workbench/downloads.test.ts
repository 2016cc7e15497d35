import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, test } from 'vitest';
import { withoutProtection } from '../../../src/results/lines.ts';
import type { ApiProblem, Download } from '../../../src/ui/workbench/api/answers.ts';
import type { DownloadQuery } from '../../../src/ui/workbench/api/requests.ts';
import type { OpenUi } from '../../support/open-ui.ts';
import { readBack } from '../../support/read-back.ts';
import { sampleData, sharedWorkbench, tableOf } from './support/workbench-folder.ts';

const leads = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');

const job = 'leads.yaml';
const workbench = sharedWorkbench({
  env: sampleData,
  async fill({ write, dossier }) {
    write('leads.csv', readFileSync(leads, 'utf8'));
    const people = 'people: { seniority: [C-Suite], maxPerCompany: 5 }';
    write(job, `name: leads\ninput: { path: leads.csv }\n${people}\n`);
    await dossier('run', job, '--rate', 'none');
  },
});
let ui: OpenUi;
let table: ReturnType<typeof tableOf>;
beforeAll(async () => {
  ui = workbench.ui;
  table = tableOf(ui, job);
  await table.untilWhole();
});

const columns = ['status', 'input_company', 'input_website', 'company_name', 'people'];
const headers = ['Row', 'Outcome', 'Company', 'Website', 'Found company', 'People', 'Company id'];
const names = ['row_number', ...columns, 'company_id'];

async function download(query: Partial<DownloadQuery>): Promise<Download & { content: Buffer }> {
  const body = { format: 'csv', columns, ...query };
  const asked = { method: 'POST', query: { job }, body };
  const { body: made } = await ui.ask<Download>('downloads', asked);
  const answer = await fetch(`${ui.url}api/download?id=${made.id}`);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${made.name}"`);
  return { ...made, content: Buffer.from(await answer.arrayBuffer()) };
}

const sheetIn = async (content: Buffer, options?: Parameters<typeof readBack>[1]) => {
  const { columns: heads, cells } = await readBack(content, options);
  return cells.map((row) => Object.fromEntries(heads.map((head, at) => [head, row[at] ?? ''])));
};

test('a download has the rows of the table, with its headers and words for readers and names and codes for programs', async () => {
  const { rows } = await table.rows({ limit: 500, columns });
  const expected = rows.map(({ cells }) => cells[3] ?? '');
  const { content, name, ...made } = await download({});
  expect(name).toBe('leads-companies.csv');
  expect(made).toMatchObject({ rows: 204, bytes: content.length });
  const csv = await sheetIn(content);
  expect(Object.keys(csv[0] ?? {})).toEqual(headers);
  expect(csv.map((row) => row['Found company'])).toEqual(expected);
  expect(new Set(csv.map(({ Outcome }) => Outcome))).toEqual(
    new Set(['Found', 'Not found', 'Invalid']),
  );
  expect(csv.map(({ People }) => Number(People))).toEqual(rows.map(({ cells }) => cells[4] ?? 0));

  const xlsx = await sheetIn((await download({ format: 'xlsx' })).content, {
    fileName: 'list.xlsx',
  });
  const plain = csv.map((row) =>
    Object.fromEntries(Object.entries(row).map(([head, cell]) => [head, withoutProtection(cell)])),
  );
  expect(xlsx).toEqual(plain);

  const jsonl = (await download({ format: 'jsonl' })).content.toString().trim().split('\n');
  const records = jsonl.map((line) => JSON.parse(line));
  expect(Object.keys(records[0])).toEqual(names);
  expect(records.map(({ status }) => status)).toEqual(rows.map(({ status }) => status));

  const { content: parquet } = await download({ format: 'parquet' });
  const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.length);
  const stored = await parquetReadObjects({
    file: file as ArrayBuffer,
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });
  expect(stored.map((record) => record.company_name ?? '')).toEqual(expected);
});

test('what is filtered and sorted is downloaded so', async () => {
  const { content, name, rows, id } = await download({
    columns: [...columns, 'reason', 'country', 'input_abn_acn'],
    facets: { status: ['invalid'] },
    sort: 'input_company',
    descending: true,
  });
  expect({ name, rows }).toEqual({ name: 'leads-companies-part.csv', rows: 50 });
  const text = content.toString();
  expect(text.startsWith('Row,Outcome,Company,')).toBe(true);
  expect(text).toContain('ABN checksum');
  const cells = await sheetIn(content);
  expect(new Set(cells.map(({ Outcome }) => Outcome))).toEqual(new Set(['Invalid']));
  // A file is fetched once.
  expect(await ui.answer<ApiProblem>('download', { query: { id } })).toMatchObject({
    code: 'USAGE',
  });
});

test('a workbook has companies, people and rejects, and of a part the people of its companies', async () => {
  const { dossier, path } = workbench.folder;
  await dossier('export', job, '--format', 'xlsx', '--output', 'exported');
  const exported = readFileSync(join(path, 'exported/workbook.xlsx'));
  const sheetOf = (content: Buffer, sheet: string) =>
    sheetIn(content, { fileName: 'list.xlsx', sheet });
  const whole = await download({ format: 'xlsx' });
  // `dossier fix` takes the rejects back, so they are those of an export.
  const rejects = await sheetOf(whole.content, 'Rejects');
  expect(rejects.length).toBeGreaterThan(0);
  expect(rejects).toEqual(await sheetOf(exported, 'Rejects'));
  const people = await sheetOf(whole.content, 'People');
  const inExport = await sheetOf(exported, 'People');
  expect(people.map((person) => [person['Person id'], person.Title])).toEqual(
    inExport.map(({ person_id, position }) => [person_id, position]),
  );

  // The company id joins both sheets.
  const peopleOf = Map.groupBy(people, (person) => person['Company id']);
  for (const row of await sheetOf(whole.content, 'Companies')) {
    const found = peopleOf.get(row['Company id'])?.length ?? 0;
    expect(Number(row.People), row.Row).toBe(row['Company id'] === '' ? 0 : found);
  }

  const company = String(people[0]?.['Company id']);
  const part = await download({ format: 'xlsx', search: company });
  expect(await sheetOf(part.content, 'People')).toEqual(peopleOf.get(company));
  expect(await sheetOf(part.content, 'Rejects')).toEqual([]);
});

test('no CSV of the page runs a formula in a spreadsheet, whatever the job says', async () => {
  const { path, write, dossier } = workbench.folder;
  const cells = ['=1+1', '+cmd', '-2+3', '@sum(1)', '"\t=1"', '"=HYPERLINK(""x"",""y"")"', '0800'];
  const shown = [
    "'=1+1",
    "'+cmd",
    "'-2+3",
    "'@sum(1)",
    "'\t=1",
    '\'=HYPERLINK("x","y")',
    '="0800"',
  ];
  const lines = cells.map((cell) => `${cell},nowhere.invalid`);
  // More than one piece of a file, with line ends and letters of several bytes in its cells.
  const long = Array.from({ length: 3_000 }, () => '"=ü\n\u{1f600}; 1",nowhere.invalid');
  write('formulas.csv', ['=note,website', ...lines, ...long].join('\n'));
  const settings = "output: { path: formulas, delimiter: ';', bom: true }\n";
  const identify = 'identify: [{ column: website }]\n';
  write('formulas.yaml', `name: formulas\ninput: { path: formulas.csv }\n${identify}${settings}`);
  await dossier('run', 'formulas.yaml');
  const onDisk = readFileSync(join(path, 'formulas/rejects.csv'), 'utf8');
  expect(onDisk).toContain('\n=1+1;');

  const notes = (csv: string, delimiter: string) =>
    (parse(csv, { bom: true, delimiter }) as string[][]).map((row) =>
      row.find((cell) => /note|[=+@]|^'?-|0800/.test(cell)),
    );
  const expected = [...shown, ...long.map(() => "'=ü\n\u{1f600}; 1")];
  const query = { job: 'formulas.yaml', run: 'r2' };
  const report = await fetch(`${ui.url}api/report?${new URLSearchParams(query)}`, {
    redirect: 'manual',
  });
  const at = new URL(report.headers.get('location') ?? '', ui.url);
  for (const name of ['rejects.csv', 'companies.csv']) {
    const served = await (await fetch(new URL(name, at))).text();
    const [head, ...others] = notes(served, ';');
    expect(head).toBe(name === 'rejects.csv' ? "'=note" : 'input_note');
    expect(others).toEqual(expected);
  }
  await tableOf(ui, 'formulas.yaml').untilWhole();
  const body = { format: 'csv', columns: ['input_note'] };
  const asked = { method: 'POST', query: { job: 'formulas.yaml' }, body } as const;
  const made = await ui.answer<Download>('downloads', asked);
  const csv = await (await fetch(`${ui.url}api/download?id=${made.id}`)).text();
  expect(notes(csv, ',').slice(1)).toEqual(expected);
});

test('people are a table of their own: searched, filtered, sorted and downloaded like rows', async () => {
  const people = { table: 'people', columns: ['company_name', 'position'] } as const;
  const { facets } = await table.untilWhole({ table: 'people' });
  const all = await table.rows({ ...people, limit: 500 });
  expect(all.total).toBeGreaterThan(20);
  const [first] = all.rows;
  const company = String(first?.cells[0]);
  const ofCompany = await table.rows({ ...people, search: company });
  expect(ofCompany.total).toBeLessThan(all.total);
  expect(ofCompany.rows.every(({ cells }) => cells[0] === company)).toBe(true);
  const country = facets.find(({ name }) => name === 'country')?.values[0];
  const chosen = { country: [country?.value ?? ''] };
  const sorted = { ...people, facets: chosen, sort: 'position', descending: true };
  const inCountry = await table.rows(sorted);
  expect(inCountry.total).toBe(country?.count);
  const titles = inCountry.rows.map(({ cells }) => String(cells[1]));
  expect(titles).toEqual(titles.toSorted((one, other) => other.localeCompare(one)));

  // The table of rows counts them, and a file has them as the export does.
  const counted = await table.rows({ sort: 'people', descending: true, columns: ['people'] });
  const row = counted.rows.find(({ number }) => number === first?.number);
  expect(row?.cells).toEqual([ofCompany.total]);
  const made = await download({ ...people, facets: chosen });
  expect(made).toMatchObject({ name: 'leads-people-part.csv', rows: country?.count });
  const [head] = made.content.toString().split('\n');
  expect(head).toBe('Row numbers,Your key,Company,Title,Company id');
});
