import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunEnd } from '../../src/run/run-schemas.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { type Finished, runDossier, succeeded } from '../support/run-dossier.ts';
import { domainOf, listOfDomains } from './sample-companies.ts';
import { endOf, openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const ledgerOf = (workplace: Workplace, ...args: string[]): Promise<Finished> =>
  runDossier(['ledger', ...args], { cwd: workplace.folder });

test('while a run goes on, its job is busy, and exports and backups have what is stored', async () => {
  let isSlow = true;
  await using workplace = await openWorkplace({ companies: 30 }, (_request, index) =>
    isSlow && index >= 10 ? { neverAnswer: true } : undefined,
  );
  workplace.write('leads.csv', listOfDomains(30));
  const input = { path: 'leads.csv' };
  const output = { path: 'output', format: ['jsonl'] };
  const job = { name: 'leads', input, output, limits: { concurrency: 2 }, ledger: 'ledger.db' };
  const path = workplace.write('job.yaml', JSON.stringify(job));
  const running = workplace.start([path]);
  // Twelve requests have arrived when ten answers are stored and two calls are in flight.
  await workplace.untilSeen(12);
  const dossier = (line: string) => runDossier(line.split(' '), { cwd: workplace.folder });
  const busy = await workplace.run([path]);
  expect(RunEnd.parse(JSON.parse(busy.stdout))).toMatchObject({ exitCode: 75, reason: 'JOB_BUSY' });
  const forget = await dossier(`forget ${domainOf(0)} --ledger ledger.db`);
  expect(forget.exitCode, forget.stderr).toBe(75);
  expect(forget.stderr).toContain('is still in progress');
  const same = await dossier('export job.yaml');
  expect(same).toMatchObject({ exitCode: 75, stdout: '' });
  expect(same.stderr).toContain('use --output with another folder to see partial results');
  const other = await succeeded(dossier('export job.yaml --output so-far'));
  expect(other.stderr).toBe('r1 has not finished, with 20 of 30 rows open. Run the job again.\n');
  const backup = await succeeded(dossier('ledger backup safe/copy.db job.yaml'));
  expect(backup.stdout).toMatch(/answers +10\nruns +1\nbackup +safe\/copy\.db\n/);
  running.kill('SIGKILL');
  await endOf(running);
  await succeeded(dossier('export job.yaml'));
  expect(readdirSync(join(workplace.folder, 'safe'))).toEqual(['copy.db']);

  isSlow = false;
  const finished = await succeeded(workplace.run([path, '--ledger', 'safe/copy.db']));
  const { resumed, rows, calls } = summaryOf(finished);
  expect({ resumed, matched: rows.matched, made: calls.made }).toEqual({
    resumed: true,
    matched: 30,
    made: 20,
  });
});

test('with mustExist, a missing ledger stops the job before it pays', async () => {
  await using workplace = await openWorkplace({ companies: 3 });
  workplace.write('leads.csv', listOfDomains(3));
  const job = {
    name: 'leads',
    input: { path: 'leads.csv' },
    ledger: { path: 'mount/ledger.db', mustExist: true },
  };
  const path = workplace.write('job.yaml', JSON.stringify(job));
  const mount = join(workplace.folder, 'mount');
  const missing = {
    exitCode: 74,
    stdout: '',
    stderr: expect.stringMatching(
      /LEDGER_MISSING: there is no ledger at .*mount\/ledger\.db\n.*`dossier run \S+ --new-ledger /,
    ),
  };
  const { stdout, ...refused } = await workplace.run([path]);
  expect(refused).toEqual({ exitCode: 74, stderr: missing.stderr });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 74, reason: 'LEDGER_MISSING' });
  const url = ['--url', 'embedded'];
  expect(await runDossier(['lookup', 'a.com.au', '--job', path, ...url])).toEqual(missing);
  expect(await runDossier(['status', path])).toMatchObject({ exitCode: 74, stdout: '' });
  expect(workplace.seen).toEqual([]);
  // A folder made here would hide that a disk is not mounted.
  expect(existsSync(mount)).toBe(false);

  const anew = () => workplace.run([path, '--new-ledger']);
  // A start that fails leaves a ledger without a run, which the same command takes.
  workplace.write('leads.csv', 'website\n"never closed\n');
  for (const _ of [1, 2]) expect(await anew()).toMatchObject({ exitCode: 65 });
  workplace.write('leads.csv', listOfDomains(3));
  expect(summaryOf(await anew())).toMatchObject({ calls: { made: 3 } });
  // --new-ledger left in a script must not hide a missing ledger.
  expect(await anew()).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('FILE_EXISTS'),
  });

  // A full disk can leave an empty file.
  renameSync(join(mount, 'ledger.db'), join(mount, 'moved.db'));
  workplace.write('mount/ledger.db', '');
  const emptied = await workplace.run([path]);
  expect(emptied.stderr).toContain('ledger.db is an empty file, not a ledger');
  expect({ exitCode: emptied.exitCode, asked: workplace.seen.length }).toEqual({
    exitCode: 74,
    asked: 3,
  });
  rmSync(join(mount, 'ledger.db'));
  renameSync(join(mount, 'moved.db'), join(mount, 'ledger.db'));
  expect(summaryOf(await workplace.run([path]))).toMatchObject({ calls: { made: 0, reused: 3 } });
});

test('a damaged ledger is not pruned, and merge saves all its answers', async () => {
  await using workplace = await openWorkplace({ companies: 60 });
  const job = { name: 'leads', input: { path: 'leads.csv' }, ledger: 'ledger.db' };
  const path = workplace.write('job.yaml', JSON.stringify(job));
  for (const [rows, made] of [
    [50, 50],
    [60, 10],
  ] as const) {
    workplace.write('leads.csv', listOfDomains(rows));
    expect(summaryOf(await workplace.run([path]))).toMatchObject({ calls: { made } });
  }
  const companies = workplace.read('output/companies.jsonl');
  const ledger = join(workplace.folder, 'ledger.db');
  spoilPages(ledger, ['row', 'outcome', 'list_block']);
  const spoilt = readFileSync(ledger);
  const damaged = { exitCode: 74, stderr: expect.stringMatching(/LEDGER_DAMAGED.*ledger\.db/) };
  for (const options of [['--dry-run'], ['--keep-runs', '1', '--older-than', '0s']]) {
    const refused = await ledgerOf(workplace, 'prune', '--job', path, ...options);
    expect(refused).toMatchObject({ ...damaged, stdout: '' });
    expect(refused.stderr).toContain('is damaged');
  }
  expect(readFileSync(ledger).equals(spoilt)).toBe(true);
  expect(await workplace.run([path])).toMatchObject(damaged);
  const changes = await runDossier(['changes', path], { cwd: workplace.folder });
  expect(changes).toMatchObject({ ...damaged, stdout: '' });
  spoilPages(ledger, ['forgotten']);
  expect(await workplace.run([path])).toMatchObject(damaged);
  const { stdout } = await ledgerOf(workplace, 'check', '--job', path);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('`dossier ledger merge <this ledger> --ledger');

  const merged = await ledgerOf(workplace, 'merge', 'ledger.db', '--ledger', 'new.db');
  expect(merged.stdout).toMatch(/^ledger +new\.db\nfrom +ledger\.db\ntaken +60\n/);
  const again = summaryOf(await workplace.run([path, '--ledger', 'new.db']));
  expect(again).toMatchObject({ exitCode: 0, calls: { made: 0, reused: 60 } });
  const facts = (text: string) => text.replaceAll(/"changed_at":"[^"]*"/g, '');
  expect(facts(workplace.read('output/companies.jsonl'))).toBe(facts(companies));
  expect(await ledgerOf(workplace, 'check', '--ledger', 'new.db')).toMatchObject({ exitCode: 0 });
});

/** Fills the pages of some tables with nonsense, as a failing disk does. */
function spoilPages(path: string, tables: readonly string[]): void {
  using file = openDatabase(path);
  file.value.pragma('wal_checkpoint(truncate)');
  const pages = file.value
    .prepare<{ tables: string }, number>(
      `select pageno from dbstat where name in (select value from json_each(:tables))`,
    )
    .pluck()
    .all({ tables: JSON.stringify(tables) });
  const bytes = readFileSync(path);
  const size = Number(file.value.pragma('page_size', { simple: true }));
  for (const page of pages) bytes.fill(0x55, (page - 1) * size, page * size);
  writeFileSync(path, bytes);
}
