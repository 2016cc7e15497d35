import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, test } from 'vitest';
import type {
  ApiProblem,
  Download,
  DownloadQuery,
  RunOutputs,
  TableColumns,
} from '../../../src/ui/workbench/api.ts';
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

const columns = ['input_company', 'input_website', 'status', 'company_name', 'company_phones'];
const names = ['Company', 'Website', 'status', 'company_name', 'company_phones'];

async function download(query: Partial<DownloadQuery>): Promise<Download & { content: Buffer }> {
  const body = { format: 'csv', columns, ...query };
  const asked = { method: 'POST', query: { job }, body };
  const { body: made } = await ui.ask<Download>('downloads', asked);
  const answer = await fetch(`${ui.url}api/download?id=${made.id}`);
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${made.name}"`);
  return { ...made, content: Buffer.from(await answer.arrayBuffer()) };
}

test('a download has the rows of the table, its columns, and the headers of the list', async () => {
  const { rows } = await table.rows({ limit: 500, columns });
  const expected = rows.map(({ cells }) => cells[3] ?? '');
  const { content, name, ...made } = await download({});
  expect(name).toBe('leads.csv');
  expect(made).toMatchObject({ rows: 204, bytes: content.length });
  const csv = await readBack(content);
  expect(csv.columns).toEqual(names);
  expect(csv.cells.map((cells) => cells[3] ?? '')).toEqual(expected);

  const xlsx = await readBack((await download({ format: 'xlsx' })).content, {
    fileName: 'list.xlsx',
  });
  expect(xlsx.columns).toEqual(names);
  expect(xlsx.cells.map((cells) => cells[3] ?? '')).toEqual(expected);

  const jsonl = (await download({ format: 'jsonl' })).content.toString().trim().split('\n');
  expect(jsonl.map((line) => JSON.parse(line).company_name ?? '')).toEqual(expected);

  const { content: parquet } = await download({ format: 'parquet' });
  const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.length);
  const records = await parquetReadObjects({
    file: file as ArrayBuffer,
    compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) },
  });
  expect(records.map((record) => record.company_name ?? '')).toEqual(expected);
});

test('what is filtered and sorted is downloaded so, for the spreadsheet of its user', async () => {
  const { content, name, rows, id } = await download({
    facets: { status: ['invalid'] },
    sort: 'input_company',
    descending: true,
    delimiter: ';',
    isForSpreadsheet: true,
  });
  expect({ name, rows }).toEqual({ name: 'leads-part.csv', rows: 50 });
  expect(content.toString().startsWith('\ufeffCompany;Website;status;')).toBe(true);
  const { cells } = await readBack(content);
  expect(new Set(cells.map((row) => row[2]))).toEqual(new Set(['invalid']));
  // A file is fetched once.
  expect(await ui.answer<ApiProblem>('download', { query: { id } })).toMatchObject({
    code: 'USAGE',
  });
});

test('a workbook has the sheets of an export, and of a part the people of its companies', async () => {
  const { dossier, path } = workbench.folder;
  await dossier('export', job, '--format', 'xlsx', '--output', 'exported');
  const exported = readFileSync(join(path, 'exported/workbook.xlsx'));
  const sheetOf = async (content: Buffer, sheet: string) => {
    const { columns: names, cells } = await readBack(content, { fileName: 'list.xlsx', sheet });
    return cells.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
  };
  const { columns: all } = await table.answer<TableColumns>('columns', {});
  const whole = await download({ format: 'xlsx', columns: all.map(({ name }) => name) });
  for (const sheet of ['Companies', 'People', 'Rejects']) {
    const rows = await sheetOf(whole.content, sheet);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await sheetOf(exported, sheet));
  }
  expect(whole.sheets?.map(({ name }) => name)).toEqual(['Companies', 'People', 'Rejects']);

  const [person] = await sheetOf(exported, 'People');
  const company = String(person?.company_id);
  const part = await download({ format: 'xlsx', search: company });
  const people = await sheetOf(part.content, 'People');
  expect(new Set(people.map(({ company_id }) => company_id))).toEqual(new Set([company]));
  expect(people).toEqual(
    (await sheetOf(exported, 'People')).filter(({ company_id }) => company_id === company),
  );
  expect(part.sheets?.find(({ name }) => name === 'Rejects')?.rows).toBe(0);
});

test('the files of a run are found', async () => {
  const outputs = (await ui.ask<RunOutputs>('outputs', { query: { job, run: 'r1' } })).body;
  expect(outputs.folder).toBe(join(workbench.folder.path, 'output/leads'));
  expect(outputs.files.map(({ name }) => name)).toContain('companies.csv');
  const { body } = await ui.ask('outputs', { query: { job, run: 'r9' } });
  expect(body).toMatchObject({ code: 'RUN_MISSING' });
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
  expect((await readBack(made.content)).columns).toEqual(['company_name', 'position']);
});
