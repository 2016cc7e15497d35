import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { sheetsOf } from '../results/workbook/made-workbook.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const workbook = packagePath('fixtures/leads/leads.xlsx');

test('a job is drafted and planned for a sheet of a workbook', async () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path, env: { DOSSIER_URL: 'embedded' } };
  const drafted = await runDossier(
    ['init', workbook, '--to', 'leads.yaml', '--sheet', 'Leads'],
    at,
  );
  expect(drafted.stderr).toMatch(/^sheet +Leads$/m);
  expect(readFileSync(join(folder.path, 'leads.yaml'), 'utf8')).toContain('  sheet: Leads\n');
  const planned = await runDossier(['plan', 'leads.yaml', '--json'], at);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    rows: { total: 27 },
    calls: { companies: 24 },
  });
});

test('what goes back to Excel opens there as it was', async () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path, env: { DOSSIER_URL: 'embedded' } };
  const row = ['=HYPERLINK(1)', '+61 2 5550 1234', '0800', '51824753556001', '@sum', '-1+1', 'Zoë'];
  const header = ['ABN', 'Phone', 'Postcode', 'Branch', 'Handle', 'Note', 'Name'];
  const rows = textRow(1, ...header) + textRow(2, ...row);
  writeFileSync(join(folder.path, 'leads.xlsx'), makeWorkbook({ sheets: [{ name: 'A', rows }] }));
  const job = {
    name: 'back',
    input: { path: 'leads.xlsx' },
    identify: [{ column: 'ABN' }],
    output: { path: 'out', excelSafe: true, bom: true },
  };
  writeFileSync(join(folder.path, 'job.yaml'), JSON.stringify(job));
  expect((await runDossier(['run', 'job.yaml'], at)).exitCode).toBe(0);

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

test('a result goes back as a workbook, and its rejects are a list again', async () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path, env: { DOSSIER_URL: 'embedded' } };
  const rows = ['Larchhaven,007,larchhaven-apps-sample.com', '=1+1,11-50,nowhere-sample.com.au'];
  writeFileSync(join(folder.path, 'leads.csv'), ['company,status,site', ...rows, ''].join('\n'));
  const sheets = async (name: string) => sheetsOf(readFileSync(join(folder.path, name)));

  const ran = await runDossier(['run', 'leads.csv', '--format', 'xlsx'], at);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout + ran.stderr).toContain('output/leads/workbook.xlsx  Companies 2, Rejects 1\n');
  expect(ran.stdout + ran.stderr).toContain('fix leads.csv output/leads/workbook.xlsx');
  const { Companies, Rejects } = await sheets('output/leads/workbook.xlsx');
  expect(Companies?.map((cells) => cells.slice(0, 6))).toEqual([
    ['company', 'status', 'site', 'row_number', 'row_key', 'status_2'],
    ['Larchhaven', '007', 'larchhaven-apps-sample.com', 1, expect.any(String), 'matched'],
    ['=1+1', '11-50', 'nowhere-sample.com.au', 2, expect.any(String), 'not_found'],
  ]);
  expect(Rejects?.[1]?.slice(0, 2)).toEqual(['=1+1', '11-50']);

  const forSales = ['--columns', 'company_name,company_fqdn,input_*', '--order', 'list-first'];
  const csv = ['--format', 'csv', '--output-delimiter', ';', '--bom', '--excel-safe'];
  const [fixed, exported, tried] = await Promise.all([
    runDossier(['plan', 'output/leads/workbook.xlsx', '--sheet', 'Rejects', '--json'], at),
    runDossier(['export', 'leads.csv', '--output', 'sales', ...forSales, ...csv], at),
    runDossier(['run', 'leads.csv', '--limit', '1', '--format', 'xlsx', '--ledger', 'x.db'], at),
  ]);
  expect(JSON.parse(fixed.stdout)).toMatchObject({ job: 'leads-workbook', rows: { total: 1 } });
  expect(exported.exitCode, exported.stderr).toBe(0);
  expect(readFileSync(join(folder.path, 'sales/companies.csv'), 'utf8').split('\n')).toEqual([
    '\ufeffcompany;status;site;company_name;company_fqdn',
    'Larchhaven;"=""007""";larchhaven-apps-sample.com;Larchhaven Apps Pty Ltd;larchhaven-apps-sample.com',
    `'=1+1;"=""11-50""";nowhere-sample.com.au;;`,
    '',
  ]);
  expect(tried.exitCode, tried.stderr).toBe(0);
  expect((await sheets('output/leads/try/workbook.xlsx')).Companies).toHaveLength(2);
});
