import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InitJson } from '../../src/cli/init.ts';
import { loadJob } from '../../src/job/load-job.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openFolder } from '../support/work-folder.ts';

const list = 'Company: site,"# of people",Land\nacme-test.com,12,NZ\nbeta-test.com.au,7,AU\n';
const env = { DOSSIER_URL: 'https://api.example.com' };

test('init writes a job beside the list, and it loads', async () => {
  using folder = openFolder({ 'My leads.csv': list });
  const { stdout, stderr } = await succeeded(folder.dossier(['init', 'My leads.csv', '--json']));
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
  expect(stderr).toMatch(/Company: site +Domain +100%/);
  expect(stderr).toContain(
    'Next, with DOSSIER_URL set (or add `--url embedded` to try sample data):\n',
  );
  expect(stderr).toContain('  dossier plan my-leads.yaml\n');

  const { job } = loadJob(join(folder.path, 'my-leads.yaml'), env);
  expect(job).toMatchObject({
    name: 'my-leads',
    input: { path: 'My leads.csv' },
    identify: [{ column: 'Company: site', as: 'fqdn' }],
    country: { column: 'Land', default: 'AU' },
  });
});

test('a draft names the services that services.yaml describes', async () => {
  const services = 'services:\n  ours: { url: embedded }\n  main: { url: embedded }\n';
  using folder = openFolder({ 'services.yaml': services, 'lists/leads.csv': list });
  const { stderr } = await succeeded(folder.dossier('init lists/leads.csv'));
  expect(stderr).not.toContain('DOSSIER_URL');
  const draft = folder.read('lists/leads.yaml');
  expect(draft).toContain('# services.yaml describes ours, main.');
  expect(draft).not.toContain('DOSSIER_URL');
  // The rate of services.yaml holds.
  expect(draft).not.toContain('limits:');
  expect(loadJob(join(folder.path, 'lists/leads.yaml'), {}).job.service).toBe('ours');
});

test('an existing job is replaced only with --force', async () => {
  using folder = openFolder({ 'leads.csv': list, 'leads.yaml': 'my work' });
  const refused = await folder.dossier('init leads.csv');
  expect(refused).toMatchObject({ exitCode: 64, stdout: '' });
  expect(refused.stderr).toContain('FILE_EXISTS');
  expect(folder.read('leads.yaml')).toBe('my work');
  await succeeded(folder.dossier('init leads.csv --force'));
  expect(loadJob(join(folder.path, 'leads.yaml'), env).job.name).toBe('leads');
});

test('a job in another folder, or on standard output, still finds its list', async () => {
  using folder = openFolder({ 'leads.csv': list, 'jobs/old.yaml': '' });
  await folder.dossier('init leads.csv --to jobs/a.yaml');
  expect(loadJob(join(folder.path, 'jobs/a.yaml'), env).job.input.path).toBe('../leads.csv');

  const { stdout } = await folder.dossier('init leads.csv --to -');
  folder.write('jobs/b.yaml', stdout);
  const { job } = loadJob(join(folder.path, 'jobs/b.yaml'), env);
  expect(job.input.path).toBe(join(folder.path, 'leads.csv'));
  expect(stdout).not.toContain('relative to this file');
});

test('corrections of a list without a job go on in its job', async () => {
  const rows = ['larchhaven-apps-sample.com', 'not a domain'];
  using folder = openFolder({
    'leads.csv': `id,site\n${rows.map((row, at) => `k${at},${row}`).join('\n')}\n`,
  });
  const run = async (job: string) => {
    await folder.dossier(`run ${job} --url embedded --ledger ledger.db`);
    return readFileSync(join(folder.path, 'output/leads/companies.csv'), 'utf8').match(
      /,matched,/g,
    );
  };
  expect(await run('leads.csv')).toHaveLength(1);
  folder.write('edited.csv', 'row_key,site\nk1,hollinmere-college-sample.com.au\n');
  await folder.dossier('fix leads.csv edited.csv --url embedded --ledger ledger.db');
  expect(await run('leads.csv')).toHaveLength(2);
  await succeeded(folder.dossier('init leads.csv'));
  expect(await run('leads.yaml')).toHaveLength(2);
});

test('a list without identifiers still gets a draft, with a note', async () => {
  using folder = openFolder({ 'plain.csv': 'name,phone\nAcme,12\nBeta,13\n' });
  const identify = () => loadJob(join(folder.path, 'plain.yaml'), env).job.identify;
  const unsure = await succeeded(folder.dossier('init plain.csv'));
  expect(unsure.stderr).toMatch(/No column clearly .*\nLine \d+ of plain\.yaml names "name"/);
  expect(identify()).toEqual([{ column: 'name', as: 'auto' }]);
  const named = await folder.dossier('init plain.csv --force --column Phone --as id');
  expect(named.stderr).not.toContain('No column clearly');
  expect(identify()).toEqual([{ column: 'phone', as: 'id' }]);
});

test.each([
  ['none.csv', {}, 65, 'INPUT_UNREADABLE'],
  ['plain.json', { 'plain.json': '[]' }, 65, 'COLUMNS_UNCLEAR'],
  ['leads.csv --to nowhere/leads.yaml', { 'leads.csv': list }, 74, 'FILE_UNWRITABLE'],
  ['leads.csv --to - --json', { 'leads.csv': list }, 64, 'USAGE'],
])('init %s with %j stops with %i', async (line, files, exitCode, code) => {
  using folder = openFolder(files);
  const result = await folder.dossier(`init ${line}`);
  expect(result).toMatchObject({ exitCode, stdout: '' });
  expect(result.stderr).toContain(code);
});

test('the wrong sheet leaves no job that blocks the right one', async () => {
  const notes = textRow(1, 'name', 'phone') + textRow(2, 'Acme', '12') + textRow(3, 'Beta', '13');
  const leads = textRow(1, 'name', 'site') + textRow(2, 'Acme', 'acme-test.com');
  const sheets = [
    { name: 'Notes', rows: notes },
    { name: 'Leads', rows: leads },
  ];
  using folder = openFolder({ 'book.xlsx': makeWorkbook({ sheets }) });
  const wrong = await folder.dossier('init book.xlsx --sheet Notes');
  expect(wrong).toMatchObject({ exitCode: 65, stdout: '' });
  expect(wrong.stderr).toContain(
    'For company names, load a register first: `dossier register load',
  );
  expect(wrong.stderr).toContain('choose another with --sheet: "Leads"');
  await succeeded(folder.dossier('init book.xlsx --sheet Leads'));
  expect(loadJob(join(folder.path, 'book.yaml'), env).job.input).toMatchObject({ sheet: 'Leads' });
});
