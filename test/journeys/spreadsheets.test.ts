import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { FixPlanJson } from '../../src/cli/fix.ts';
import { sheetsOf } from '../results/workbook/made-workbook.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

/** Nothing listens there, and nothing has to. */
const nowhere = { DOSSIER_URL: 'http://127.0.0.1:9', DOSSIER_API_KEY: 'unused' };

test('excelSafe CSV opens in Excel with every cell unchanged', async () => {
  const row = ['=HYPERLINK(1)', '+61 2 5550 1234', '0800', '51824753556001', '@sum', '-1+1', 'Zoë'];
  const header = ['ABN', 'Phone', 'Postcode', 'Branch', 'Handle', 'Note', 'Name'];
  const rows = textRow(1, ...header) + textRow(2, ...row);
  const job = {
    name: 'back',
    input: { path: 'leads.xlsx' },
    identify: [{ column: 'ABN' }],
    output: { path: 'out', excelSafe: true, bom: true },
  };
  const leads = makeWorkbook({ sheets: [{ name: 'A', rows }] });
  using folder = openFolder({ 'leads.xlsx': leads, 'job.yaml': JSON.stringify(job) }, nowhere);
  await succeeded(folder.dossier('run job.yaml'));

  const bytes = readFileSync(join(folder.path, 'out/rejects.csv'));
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const [written] = parse(bytes, { bom: true, columns: true }) as Record<string, string>[];
  expect(written).toMatchObject({
    ABN: "'=HYPERLINK(1)",
    Phone: '="+61 2 5550 1234"',
    Postcode: '="0800"',
    Branch: '="51824753556001"',
    Handle: "'@sum",
    Note: "'-1+1",
    Name: 'Zoë',
  });
});

test('a file that is safe for spreadsheets is read back, with its keys and headers', async () => {
  const keys = ['007', '+61 2', '=a1', '11-50', '-x'];
  const rows = keys.map((key) => `${key},"acme,com.au",=1+1`);
  const job = {
    name: 'leads',
    input: { path: 'leads.csv', key: '-key' },
    identify: [{ column: '@site' }],
    output: { path: 'out', excelSafe: true },
  };
  const leads = ['-key,@site,note', ...rows].join('\n');
  using folder = openFolder({ 'leads.csv': leads, 'job.yaml': JSON.stringify(job) }, nowhere);
  await succeeded(folder.dossier('run job.yaml'));
  const rejects = folder.read('out/rejects.csv');
  expect(rejects).toContain('"=""007"""');
  expect(rejects).toContain("'@site");
  const fix = (file: string) => folder.dossier(`fix job.yaml ${file} --dry-run --json`);
  expect((await fix('out/rejects.csv')).stderr).toContain('No cell of "@site" differs');
  folder.write('edited.csv', rejects.replaceAll('acme,com.au', 'acme.com.au'));
  const edited = await fix('edited.csv');
  const { corrections, unknown, ignored } = FixPlanJson.parse(JSON.parse(edited.stdout));
  expect(corrections.map(({ row_key }) => row_key)).toEqual(keys);
  expect({ unknown, ignored }).toEqual({ unknown: [], ignored: {} });
});

test('a workbook has the result, and its rejects can be run as a list', async () => {
  await using service = await openSmallService();
  const rows = ['Larchhaven,007,larch.com.au', '=1+1,11-50,unknown.com.au'];
  const leads = ['company,status,site', ...rows, ''].join('\n');
  using folder = openFolder({ 'leads.csv': leads }, service.env);
  const sheets = async (name: string) => sheetsOf(readFileSync(join(folder.path, name)));

  const ran = await succeeded(folder.dossier('run leads.csv --format xlsx'));
  expect(ran.stdout + ran.stderr).toContain('output/leads/workbook.xlsx  Companies 2, Rejects 1\n');
  expect(ran.stdout + ran.stderr).toContain('fix leads.csv output/leads/workbook.xlsx');
  const { Companies, Rejects } = await sheets('output/leads/workbook.xlsx');
  expect(Companies?.map((cells) => cells.slice(0, 6))).toEqual([
    ['company', 'status', 'site', 'row_number', 'row_key', 'status_2'],
    ['Larchhaven', '007', 'larch.com.au', 1, expect.any(String), 'matched'],
    ['=1+1', '11-50', 'unknown.com.au', 2, expect.any(String), 'not_found'],
  ]);
  expect(Rejects?.[1]?.slice(0, 2)).toEqual(['=1+1', '11-50']);

  const fixed = await folder.dossier('plan output/leads/workbook.xlsx --sheet Rejects --json');
  expect(JSON.parse(fixed.stdout)).toMatchObject({
    job: 'leads-workbook-rejects',
    rows: { total: 1 },
  });
  await succeeded(
    folder.dossier(
      'export leads.csv --output sales --columns company_name,company_fqdn,input_* --order list-first --format csv --output-delimiter ; --bom --excel-safe',
    ),
  );
  expect(folder.read('sales/companies.csv').split('\n')).toEqual([
    '\ufeffcompany;status;site;company_name;company_fqdn',
    'Larchhaven;"=""007""";larch.com.au;Company of larch.com.au;larch.com.au',
    `'=1+1;"=""11-50""";unknown.com.au;;`,
    '',
  ]);
  await succeeded(folder.dossier('run leads.csv --limit 1 --format xlsx'));
  expect((await sheets('output/leads/try/workbook.xlsx')).Companies).toHaveLength(2);
});
