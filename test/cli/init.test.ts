import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InitJson } from '../../src/cli/init.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const list = 'Company: site,"# of people",Land\nacme-test.com,12,NZ\nbeta-test.com.au,7,AU\n';
/** A draft asks the service that the environment names. */
const env = { DOSSIER_URL: 'https://api.example.com' };

test('a list becomes a job that loads, beside it, with what was found', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'My leads.csv'), list);
  const { exitCode, stdout, stderr } = await runDossier(['init', 'My leads.csv', '--json'], {
    cwd: folder.path,
  });
  expect(exitCode, stderr).toBe(0);
  expect(InitJson.parse(JSON.parse(stdout))).toEqual({
    job: 'my-leads',
    path: 'my-leads.yaml',
    input: 'My leads.csv',
    notes: [],
    rowsSeen: 2,
    identify: [{ column: 'Company: site', as: 'fqdn', share: 1 }],
    sure: true,
    country: { column: 'Land', share: 1 },
    key: null,
  });
  expect(stderr).toMatch(/Company: site +fqdn +100%/);
  expect(stderr).toContain('Next, with DOSSIER_URL set or `--url embedded` to try it:\n');
  expect(stderr).toContain('  dossier plan my-leads.yaml\n');

  const { job } = loadJob(join(folder.path, 'my-leads.yaml'), env);
  expect(job).toMatchObject({
    name: 'my-leads',
    input: { path: 'My leads.csv' },
    identify: [{ column: 'Company: site', as: 'fqdn' }],
    country: { column: 'Land', default: 'AU' },
  });
});

test('a job that is there is replaced only by force', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'leads.yaml');
  writeFileSync(join(folder.path, 'leads.csv'), list);
  writeFileSync(path, 'work of somebody');
  const refused = await runDossier(['init', 'leads.csv'], { cwd: folder.path });
  expect(refused).toMatchObject({ exitCode: 64, stdout: '' });
  expect(refused.stderr).toContain('FILE_EXISTS');
  expect(readFileSync(path, 'utf8')).toBe('work of somebody');
  const forced = await runDossier(['init', 'leads.csv', '--force'], { cwd: folder.path });
  expect(forced.exitCode).toBe(0);
  expect(loadJob(path, env).job.name).toBe('leads');
});

test('a job in another folder, or on standard output, still finds its list', async () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, 'jobs'));
  writeFileSync(join(folder.path, 'leads.csv'), list);
  await runDossier(['init', 'leads.csv', '--to', 'jobs/a.yaml'], { cwd: folder.path });
  expect(loadJob(join(folder.path, 'jobs/a.yaml'), env).job.input.path).toBe('../leads.csv');

  const { stdout } = await runDossier(['init', 'leads.csv', '--to', '-'], { cwd: folder.path });
  writeFileSync(join(folder.path, 'jobs/b.yaml'), stdout);
  const { job } = loadJob(join(folder.path, 'jobs/b.yaml'), env);
  expect(job.input.path).toBe(join(folder.path, 'leads.csv'));
  expect(stdout).not.toContain('relative to this file');
});

test('where nothing looks like an identifier a draft is written all the same, and that is said', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'plain.csv'), 'name,phone\nAcme,12\nBeta,13\n');
  const unsure = await runDossier(['init', 'plain.csv'], { cwd: folder.path });
  expect(unsure.exitCode, unsure.stderr).toBe(0);
  expect(unsure.stderr).toMatch(/No column surely .*\nLine \d+ of plain\.yaml names "name"/);
  expect(loadJob(join(folder.path, 'plain.yaml'), env).job.identify).toEqual([
    { column: 'name', as: 'auto' },
  ]);

  const args = ['init', 'plain.csv', '--force', '--column', 'Phone', '--as', 'id'];
  const named = await runDossier(args, { cwd: folder.path });
  expect(named.stderr).not.toContain('No column surely');
  expect(loadJob(join(folder.path, 'plain.yaml'), env).job.identify).toEqual([
    { column: 'phone', as: 'id' },
  ]);
});

test.each([
  ['none.csv', undefined, [], 65, 'INPUT_UNREADABLE'],
  ['plain.json', '[]', [], 65, 'COLUMNS_UNCLEAR'],
  ['leads.csv', list, ['--to', 'nowhere/leads.yaml'], 74, 'FILE_UNWRITABLE'],
  ['leads.csv', list, ['--to', '-', '--json'], 64, 'USAGE'],
])('%s holding %j with %j stops with %i', async (name, text, args, exitCode, code) => {
  using folder = temporaryFolder();
  if (text !== undefined) writeFileSync(join(folder.path, name), text);
  const result = await runDossier(['init', name, ...args], { cwd: folder.path });
  expect(result).toMatchObject({ exitCode, stdout: '' });
  expect(result.stderr).toContain(code);
});

test('the wrong sheet leaves no job behind that stands in the way of the right one', async () => {
  using folder = temporaryFolder();
  const notes = textRow(1, 'name', 'phone') + textRow(2, 'Acme', '12') + textRow(3, 'Beta', '13');
  const leads = textRow(1, 'name', 'site') + textRow(2, 'Acme', 'acme-test.com');
  const sheets = [
    { name: 'Notes', rows: notes },
    { name: 'Leads', rows: leads },
  ];
  writeFileSync(join(folder.path, 'book.xlsx'), makeWorkbook({ sheets }));
  const wrong = await runDossier(['init', 'book.xlsx', '--sheet', 'Notes'], { cwd: folder.path });
  expect(wrong).toMatchObject({ exitCode: 65, stdout: '' });
  expect(wrong.stderr).toContain('names cannot be looked up.');
  expect(wrong.stderr).toContain('choose another with --sheet: "Leads"');
  const right = await runDossier(['init', 'book.xlsx', '--sheet', 'Leads'], { cwd: folder.path });
  expect(right.exitCode, right.stderr).toBe(0);
  expect(loadJob(join(folder.path, 'book.yaml'), env).job.input).toMatchObject({ sheet: 'Leads' });
});
