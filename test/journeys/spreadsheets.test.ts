import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/runtime/package-path.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const workbook = packagePath('fixtures/leads/leads.xlsx');

test.concurrent('every command that reads a list reads a workbook', async () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path, env: { DOSSIER_URL: 'embedded' } };
  const drafted = await runDossier(
    ['init', workbook, '--to', 'leads.yaml', '--sheet', 'Leads'],
    at,
  );
  expect(drafted.stderr).toContain('xlsx, sheet Leads, 6 columns, 27 rows looked at');
  expect(readFileSync(join(folder.path, 'leads.yaml'), 'utf8')).toContain('  sheet: Leads\n');
  const [planned, checked, tallied] = await Promise.all([
    runDossier(['plan', 'leads.yaml', '--json'], at),
    runDossier(['check', 'leads.yaml', '--json'], at),
    runDossier(['identify', workbook, '--summary', '--json'], at),
  ]);
  expect(JSON.parse(planned.stdout)).toMatchObject({
    rows: { total: 27 },
    calls: { companies: 24 },
  });
  expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true });
  expect(JSON.parse(tallied.stdout)).toMatchObject({ kinds: { abn: { count: 18 } } });
});

test.concurrent('a workbook may come through a pipe, known by its bytes', async () => {
  using folder = temporaryFolder();
  const input = readFileSync(workbook);
  const at = { cwd: folder.path, input, env: { DOSSIER_URL: 'embedded' } };
  const planned = await runDossier(['plan', '-', '--json'], at);
  expect(JSON.parse(planned.stdout)).toMatchObject({ rows: { total: 27 } });
  const values = await runDossier(['identify', '--column', 'ACN'], at);
  expect(values.stdout.split('\n')[12]).toContain('"derivedFrom":"acn"');
  expect(await runDossier(['identify'], at)).toMatchObject({
    exitCode: 64,
    stderr: expect.stringMatching(/is a workbook, not one value a line\nName a column/),
  });
});

test.concurrent('what goes back to Excel opens there as it was', async () => {
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

test.concurrent('a bare list is read as the command line says', async () => {
  using folder = temporaryFolder();
  const at = { cwd: folder.path, env: { DOSSIER_URL: 'embedded' } };
  const text = 'Name~Website\nZo\u00eb~larchhaven-apps-sample.com\n';
  writeFileSync(join(folder.path, 'leads.csv'), Buffer.from(text, 'latin1'));
  const flags = ['--delimiter', '~', '--encoding', 'windows-1252'];
  const [ran, tallied] = await Promise.all([
    runDossier(['run', 'leads.csv', ...flags, '--format', 'jsonl', '--output', 'out'], at),
    runDossier(['identify', 'leads.csv', ...flags, '--column', 'Name'], at),
  ]);
  expect(ran.exitCode, ran.stderr).toBe(0);
  const [row = '{}'] = readFileSync(join(folder.path, 'out/companies.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(row)).toMatchObject({ status: 'matched', input_name: 'Zo\u00eb' });
  expect(JSON.parse(tallied.stdout)).toMatchObject({ input: 'Zo\u00eb' });
});
