import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { ExportJson } from '../../src/cli/export.ts';
import { ensurePages } from '../support/built-page.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const job = 'name: leads\ninput: {path: leads.csv}\noutput: {path: out, format: [csv, jsonl]}\n';

const files = {
  'leads.csv': 'Website\nacme.com\nglobex.com\nunknown.com\n',
  'job.yaml': job,
};

beforeAll(ensurePages);

test('an export writes the files of a run again, byte for byte, without a service', async () => {
  await using service = await openSmallService();
  using folder = openFolder(files);
  const { path: cwd, dossier } = folder;
  await dossier('run job.yaml', { env: service.env });
  const out = join(cwd, 'out');
  const written = () =>
    readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')]);
  const before = written();
  rmSync(out, { recursive: true });
  rmSync(join(cwd, 'leads.csv'));

  const again = await dossier('export job.yaml');
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
      'out/report.html      report for the browser',
      '',
    ].join('\n'),
  });
  expect(written()).toEqual(before);

  const { stdout } = await dossier(
    'export job.yaml --run r1 --output else --format parquet --json',
  );
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

test('an export leaves damaged answers out and ends with 3; the next run fetches them', async () => {
  await using service = await openSmallService();
  using folder = openFolder(files);
  const { path: cwd, dossier } = folder;
  await dossier('run job.yaml', { env: service.env });
  const db = new Database(join(cwd, 'output/ledger.db'));
  db.exec(`update answer set checksum = checksum + 1 where company_id = 'c_acme.com'`);
  db.close();

  const damaged = await dossier('export job.yaml');
  expect(damaged.exitCode).toBe(3);
  expect(damaged.stderr).toBe(
    '1 damaged answer left out. Run the job again to fetch missing answers.\n',
  );
  expect(readFileSync(join(cwd, 'out/companies.csv'), 'utf8')).toContain('damaged_answer');
  expect((await dossier('run job.yaml', { env: service.env })).exitCode).toBe(0);
  expect(service.seen).toHaveLength(4);
});

test('an export without a run ends with 65 and creates no ledger', async () => {
  using folder = openFolder(files);
  const { path: cwd, dossier } = folder;
  const none = await dossier('export job.yaml');
  expect(none).toMatchObject({ exitCode: 65, stdout: '' });
  expect(none.stderr).toContain('RUN_MISSING: leads has not run');
  expect(none.stderr).toContain('dossier run');
  expect(readdirSync(cwd).sort()).toEqual(['job.yaml', 'leads.csv']);

  await dossier('lookup larchhaven-apps-sample.com --url embedded');
  const noRun = await dossier('export job.yaml');
  expect(noRun.stderr).toContain(`has no run of leads (${join(cwd, 'leads.csv')}) yet`);
  const lookup = await dossier('export job.yaml --run r1');
  expect(lookup.exitCode).toBe(65);
  expect(lookup.stderr).toContain('leads has no run r1: it has none yet; r1 is a lookup');
  const wrong = await dossier('export job.yaml --run first');
  expect(wrong.exitCode).toBe(64);
  expect(wrong.stderr).toContain('--run needs a run such as r7, not "first"');
});
