import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const list = 'website\nalpha-test.com\nbeta-test.com\n';
const job = (name: string) => `name: ${name}\ninput: {path: leads.csv}\nlimits: {rate: none}\n`;
const ledgerOf = (folder: string) => join(folder, '.home/dossier/ledger.db');

/** Two folders of one user. */
async function openUser(files: Record<string, string>) {
  const service = await openSmallService();
  const at = openFolder(files, service.env);
  for (const folder of ['one', 'two']) mkdirSync(join(at.path, folder), { recursive: true });
  const env = { XDG_DATA_HOME: join(at.path, '.home') };
  return {
    ...at,
    service,
    in: (folder: string, line: string) => at.dossier(line, { cwd: join(at.path, folder), env }),
    async [Symbol.asyncDispose]() {
      at[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

test('an answer is paid for once in all folders of a user', async () => {
  await using user = await openUser({ 'one/leads.csv': list, 'two/leads.csv': list });
  const first = await user.in('one', 'run leads.csv');
  expect(first.stderr).toContain('New, empty ledger: ');
  expect(existsSync(ledgerOf(user.path))).toBe(true);
  const second = await user.in('two', 'run leads.csv');
  expect(second.stderr).not.toContain('New, empty ledger');
  expect(second.exitCode).toBe(0);
  expect(user.service.seen).toHaveLength(2);
  // The list is another one, so its job gets another name.
  const { stdout } = await user.in('two', 'status');
  expect(stdout).toMatch(/^leads .*\nleads-two /m);
  expect(existsSync(join(user.path, 'two/output/leads-two/companies.csv'))).toBe(true);
});

test('a job belongs to its file, until it is adopted', async () => {
  const files = { 'one/leads.csv': list, 'one/a.yaml': job('leads') };
  await using user = await openUser({
    ...files,
    'two/leads.csv': list,
    'two/a.yaml': job('leads'),
  });
  await user.in('one', 'run a.yaml');
  for (const command of ['run', 'plan']) {
    const refused = await user.in('two', `${command} a.yaml`);
    expect(refused.exitCode).toBe(78);
    expect(refused.stderr).toContain('one/a.yaml, and ');
    expect(refused.stderr).toContain('`dossier run a.yaml --adopt` once');
  }
  await succeeded(user.in('two', 'run a.yaml --ledger own.db'));
  renameSync(join(user.path, 'one'), join(user.path, 'moved'));
  expect((await user.in('moved', 'run a.yaml')).exitCode).toBe(78);
  const adopted = await user.in('moved', 'run a.yaml --adopt');
  expect(adopted.stderr).toContain('none since r1');
  await succeeded(user.in('moved', 'run a.yaml'));
});

test('an older ledger of a folder is used and named, and can be taken in', async () => {
  await using user = await openUser({ 'one/leads.csv': list, 'two/leads.csv': list });
  await user.in('one', 'run leads.csv --ledger output/ledger.db');
  const again = await user.in('one', 'run leads.csv');
  expect(again.stderr).toContain('This folder has its own ledger, output/ledger.db');
  expect(user.service.seen).toHaveLength(2);
  expect(existsSync(ledgerOf(user.path))).toBe(false);

  await user.in('one', 'ledger merge output/ledger.db');
  renameSync(join(user.path, 'one/output/ledger.db'), join(user.path, 'one/old.db'));
  await user.in('one', 'run leads.csv');
  await user.in('two', 'run leads.csv');
  expect(user.service.seen).toHaveLength(2);
});

test('sample data has its own ledger, and is no reason to keep an older one', async () => {
  await using user = await openUser({ 'one/leads.csv': list });
  await user.in('one', 'run leads.csv --url embedded');
  expect(existsSync(join(user.path, 'one/output/sample.db'))).toBe(true);
  await user.in('one', 'run leads.csv --url embedded --ledger output/ledger.db');
  await user.in('one', 'run leads.csv');
  expect(existsSync(ledgerOf(user.path))).toBe(true);
});

test('a snapshot, a number of runs or mustExist keeps the ledger beside the job', async () => {
  const kept = `${job('leads')}ledger: {keepRuns: 7}\n`;
  await using user = await openUser({ 'one/leads.csv': list, 'one/a.yaml': kept });
  await user.in('two', 'run ../one/a.yaml');
  expect(existsSync(join(user.path, 'one/output/ledger.db'))).toBe(true);
  expect(existsSync(ledgerOf(user.path))).toBe(false);
  // It was in the working directory until 0.9.0.
  const before = readFileSync(join(user.path, 'one/output/ledger.db'));
  user.write('two/output/ledger.db', before);
  await user.in('two', 'run ../one/a.yaml');
  expect(user.service.seen).toHaveLength(2);
});

test('a job that names a ledger keeps it, and nothing that DOSSIER_LEDGER holds is bought again', async () => {
  const named = `${job('leads')}ledger: own.db\n`;
  await using user = await openUser({ 'one/leads.csv': list, 'one/a.yaml': named });
  const run = (line: string, ledger: string) =>
    user.dossier(line, { cwd: join(user.path, 'one'), env: { DOSSIER_LEDGER: ledger } });
  await run('run a.yaml --ledger before.db', 'other.db');
  // Version 0.9.0 preferred DOSSIER_LEDGER, so its runs may be there.
  const { stderr } = await run('run a.yaml', 'before.db');
  expect(stderr).toContain('The runs of leads are in before.db (DOSSIER_LEDGER), so it is used.');
  expect(user.service.seen).toHaveLength(2);
  await run('ledger merge before.db --ledger own.db', 'before.db');
  const merged = await run('run a.yaml', 'other.db');
  expect(merged.stderr).not.toContain('other.db');
  expect(user.service.seen).toHaveLength(2);
  expect(existsSync(join(user.path, 'one/other.db'))).toBe(false);
});

test('a home that cannot be written to is refused with a way out', async () => {
  await using user = await openUser({ 'one/leads.csv': list, home: 'a file' });
  const { stderr, exitCode } = await user.dossier('run one/leads.csv', {
    env: { XDG_DATA_HOME: join(user.path, 'home') },
  });
  expect(exitCode).toBe(74);
  expect(stderr).toContain('name another ledger with --ledger or DOSSIER_LEDGER');
  expect(user.service.seen).toHaveLength(0);
});
