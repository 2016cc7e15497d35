import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { ExportJson, exportNotes } from '../../src/cli/export.ts';
import { DossierError } from '../../src/core/errors.ts';
import { lockJob } from '../../src/engine/ledger/file/locks.ts';
import type { ResolvedJob } from '../../src/job/resolved-job.ts';
import { Expect } from '../../src/job/schema/output-fields.ts';
import { runJob } from '../../src/run/run-job.ts';
import { answerOf, domains } from '../engine/queue/small-world.ts';
import { exportOf, jobIn, runNight, world } from '../run/nights.ts';
import { ensurePages } from '../support/built-page.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { succeeded } from '../support/run-dossier.ts';
import { answeredBy, companyOfDomain } from '../support/run-parts.ts';
import { openSmallService } from '../support/small-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { jobOver } from '../support/test-job.ts';
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
      'out/companies.csv    3 rows, 2 found',
      'out/companies.jsonl  3 rows, 2 found',
      'out/rejects.csv      1 row',
      'out/rejects.jsonl    1 row',
      'out/changes.csv      0 changes',
      'out/changes.jsonl    0 changes',
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
  const db = new Database(join(cwd, '.home/dossier/ledger.db'));
  db.exec(
    `update answer set checksum = checksum + 1, flat_version = null where company_id = 'c_acme.com'`,
  );
  db.close();

  const damaged = await dossier('export job.yaml');
  expect(damaged.exitCode).toBe(3);
  expect(damaged.stderr).toBe(
    '1 damaged answer left out. Run the job again to fetch missing answers.\n',
  );
  expect(readFileSync(join(cwd, 'out/companies.csv'), 'utf8')).toContain('damaged_answer');
  await succeeded(dossier('run job.yaml', { env: service.env }));
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

async function runTwice(folder: string, changes: Partial<ResolvedJob> = {}) {
  const twice = jobOver(folder, ['acme.com.au'], changes);
  for (let runs = 0; runs < 2; runs += 1) await runJob(twice, answeredBy(companyOfDomain));
  return twice;
}

test('an export of a run that stopped in its people searches names the open calls', async () => {
  using folder = temporaryFolder();
  const job = jobIn(folder.path, domains.slice(0, 1));
  const stopped = runNight(job, 1, (call) => {
    if (call.operation === 'people') throw new DossierError('SERVICE_DOWN', 'down');
    return answerOf(world, call);
  });
  await expect(stopped).rejects.toMatchObject({ code: 'SERVICE_DOWN' });
  const done = await exportOf(job);
  expect(done.exported.rows).toMatchObject({ total: 1, matched: 1, open: 0 });
  expect(exportNotes(done, { job: 'job.yaml' })).toEqual([
    'r1 has not finished, with at least 1 call open. Run the job again.',
  ]);
});

test('only the newest run can be accepted, and not while another is under way', async () => {
  using folder = temporaryFolder();
  // No result is that good, so every one is held.
  const unmet = [Expect.shape.matchRate.unwrap().parse('> 100%')];
  const job = await runTwice(folder.path, { expect: unmet });
  await expect(exportOf(job, { accept: true, runId: 1 })).rejects.toMatchObject({
    code: 'RUN_MISSING',
    message: 'r1 of leads was replaced by r2, which is also held',
  });
  {
    using _lock = lockJob(job.ledger, job.name);
    await expect(exportOf(job, { accept: true })).rejects.toMatchObject({ code: 'JOB_BUSY' });
  }
  const { run: accepted, exported } = await exportOf(job, { accept: true });
  expect(accepted).toMatchObject({ id: 2, held: null });
  expect(exported.folder).toBe(job.output.path);
  expect(manifestIn(job.output.path)).toMatchObject({ run: 'r2', held: null });
  // The held result of the night before has gone with it.
  expect(existsSync(join(job.output.path, 'held-r1'))).toBe(false);
  await expect(exportOf(job, { accept: true, runId: 1 })).rejects.toMatchObject({
    message: 'r1 of leads was replaced by a published run',
  });
  const overtaken = await exportOf(job, { runId: 1 });
  expect(exportNotes(overtaken, { job: 'job.yaml' }).join()).toContain('r2 replaced it.');
});
