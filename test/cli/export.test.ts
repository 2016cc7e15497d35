import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { ExportJson } from '../../src/cli/export.ts';
import { ensurePages } from '../support/built-page.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { startDossier } from '../support/start-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const job = 'name: leads\ninput: {path: leads.csv}\noutput: {path: out, format: [csv, jsonl]}\n';

function folderWithJob() {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), 'Website\nacme.com\nglobex.com\nunknown.com\n');
  writeFileSync(join(folder.path, 'job.yaml'), job);
  return folder;
}

beforeAll(ensurePages, 60_000);

test('gives the files of a run once more, byte for byte, without a service', async () => {
  using folder = folderWithJob();
  const cwd = folder.path;
  await using service = await openSmallService();
  await runDossier(['run', 'job.yaml'], { cwd, env: service.env });
  const out = join(cwd, 'out');
  const files = () => readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]);
  const written = files();
  rmSync(out, { recursive: true });
  rmSync(join(cwd, 'leads.csv'));

  const again = await runDossier(['export', 'job.yaml'], { cwd });
  expect(again).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: [
      'leads r1: 3 rows',
      'out/companies.csv    3 records',
      'out/companies.jsonl  3 records',
      'out/rejects.csv      1 record',
      'out/rejects.jsonl    1 record',
      'out/changes.csv      0 records',
      'out/changes.jsonl    0 records',
      'out/report.html      a page for people',
      '',
    ].join('\n'),
  });
  expect(files()).toEqual(written);

  const args = [
    'export',
    'job.yaml',
    '--run',
    'r1',
    '--output',
    'else',
    '--format',
    'parquet',
    '--json',
  ];
  const { stdout } = await runDossier(args, { cwd });
  expect(ExportJson.parse(JSON.parse(stdout))).toMatchObject({
    run: 'r1',
    complete: true,
    rows: { total: 3, matched: 2, not_found: 1, failed: 0, open: 0 },
    folder: join(cwd, 'else'),
    files: [
      { name: 'companies.parquet' },
      { name: 'rejects.parquet' },
      { name: 'changes.parquet' },
    ],
  });
  expect(service.seen).toHaveLength(3);
});

test('leaves damaged answers out with a word and 3; the next run fetches them anew', async () => {
  using folder = folderWithJob();
  const cwd = folder.path;
  await using service = await openSmallService();
  await runDossier(['run', 'job.yaml'], { cwd, env: service.env });
  const db = new Database(join(cwd, 'output/ledger.db'));
  db.exec(`update answer set checksum = checksum + 1 where company_id = 'c_acme.com'`);
  db.close();

  const damaged = await runDossier(['export', 'job.yaml'], { cwd });
  expect(damaged.exitCode).toBe(3);
  expect(damaged.stderr).toBe(
    '1 damaged answer left out. Run the job again to fetch what is missing.\n',
  );
  expect(readFileSync(join(cwd, 'out/companies.csv'), 'utf8')).toContain('damaged_answer');
  expect((await runDossier(['run', 'job.yaml'], { cwd, env: service.env })).exitCode).toBe(0);
  expect(service.seen).toHaveLength(4);
});

test('while the job is running, shows what there is so far, but only in another folder', async () => {
  using folder = folderWithJob();
  const cwd = folder.path;
  await using service = await openSmallService((_, index) =>
    index === 1 ? new Promise<never>(() => {}) : undefined,
  );
  const args = ['run', 'job.yaml', '--concurrency', '1'];
  await using running = startDossier(args, { cwd, env: service.env });
  await service.untilSeen(2);

  const same = await runDossier(['export', 'job.yaml'], { cwd });
  expect(same).toMatchObject({ exitCode: 75, stdout: '' });
  expect(same.stderr).toContain('--output with another folder shows what there is so far');
  const other = await runDossier(['export', 'job.yaml', '--output', 'so-far'], { cwd });
  expect(other.exitCode).toBe(0);
  expect(other.stderr).toBe('r1 has not finished: 2 of 3 rows are open. Run the job again.\n');
  await running.stop('SIGKILL');
  expect((await runDossier(['export', 'job.yaml'], { cwd })).exitCode).toBe(0);
});

test('without a run to write says so with 65, and makes no ledger', async () => {
  using folder = folderWithJob();
  const cwd = folder.path;
  const none = await runDossier(['export', 'job.yaml'], { cwd });
  expect(none).toMatchObject({ exitCode: 65, stdout: '' });
  expect(none.stderr).toContain('RUN_MISSING: leads has not run');
  expect(none.stderr).toContain('dossier run');
  expect(readdirSync(cwd).sort()).toEqual(['job.yaml', 'leads.csv']);

  await runDossier(['lookup', 'larchhaven-apps-sample.com', '--url', 'embedded'], { cwd });
  const noRun = await runDossier(['export', 'job.yaml'], { cwd });
  expect(noRun.stderr).toContain(`holds no run of leads (${join(cwd, 'leads.csv')}) yet`);
  const lookup = await runDossier(['export', 'job.yaml', '--run', 'r1'], { cwd });
  expect(lookup.exitCode).toBe(65);
  expect(lookup.stderr).toContain('leads has no run r1: it has none yet; r1 is a lookup');
  const wrong = await runDossier(['export', 'job.yaml', '--run', 'first'], { cwd });
  expect(wrong.exitCode).toBe(64);
  expect(wrong.stderr).toContain('--run needs a run such as r7, not "first"');
});
