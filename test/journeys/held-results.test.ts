import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Reaction } from '../support/hostile-server.ts';
import { manifestIn } from '../support/manifest-in.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { listOfDomains } from './sample-companies.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

const service = { companies: 130 };
const missing: Reaction = { status: 404, body: '{"error":404,"message":"Company not found"}' };

/** Every night asks for all companies again; a miss is remembered for a week. */
function writeJob({ write }: Workplace, rows: number, changes: object = {}): string {
  write('leads.csv', listOfDomains(rows));
  const job = {
    name: 'leads',
    input: { path: 'leads.csv' },
    ledger: 'ledger.db',
    limits: { attempts: 1, maxWait: '1s' },
    reuse: { companies: 0, misses: '7d' },
    ...changes,
  };
  return write('job.yaml', JSON.stringify(job));
}

/** The bytes of all files that lie in a folder itself. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map(({ name }) => [name, readFileSync(join(folder, name), 'base64')]),
  );
}

/** Runs another command than `run` where the job was run. */
async function dossier({ folder }: Workplace, ...args: string[]) {
  const env = { DOSSIER_URL: 'http://127.0.0.1:9', DOSSIER_API_KEY: 'unused' };
  return await runDossier(args, { cwd: folder, env });
}

test('an emptied service replaces no result, and the next run looks up again', async () => {
  let isEmpty = false;
  await using workplace = await openWorkplace(service, () => (isEmpty ? missing : undefined));
  const output = join(workplace.folder, 'output');
  const job = writeJob(workplace, 120);
  await succeeded(workplace.run([job]));
  const good = filesIn(output);

  isEmpty = true;
  const metrics = ['--metrics-file', join(workplace.folder, 'dossier.prom')];
  const night = await workplace.run([job, ...metrics]);
  const message = 'vanished: 120 of 120 known companies were not found this time';
  const held = [{ expectation: 'vanished', expected: '< 50%', found: '120', message }];
  expect(night.exitCode, night.stderr).toBe(4);
  expect(night.stderr.replaceAll(/\s+/g, ' ')).toContain(`HELD: ${message}`);
  expect(night.stderr).toContain('dossier export');
  const aside = join(output, 'held-r2');
  expect(JSON.parse(night.stdout)).toMatchObject({ run: 'r2', held, folder: aside });
  expect(filesIn(output)).toEqual(good);
  expect(manifestIn(aside)).toMatchObject({ complete: true, held, rows: { not_found: 120 } });
  expect(readFileSync(join(aside, 'report.html'), 'utf8')).toContain(message);
  expect(workplace.read('dossier.prom')).toContain(
    'dossier_run_expectation_breached{expectation="vanished",job_name="leads"} 1',
  );

  const status = await dossier(workplace, 'status', 'job.yaml', '--json');
  const [{ runs }] = (JSON.parse(status.stdout) as { jobs: [{ runs: object[] }] }).jobs;
  expect(runs).toMatchObject([
    { run: 'r2', state: 'held', held },
    { run: 'r1', held: null },
  ]);

  // A plain export writes the last published result, and says why.
  const flags = ['--output', 'output', '--format', 'jsonl'];
  const again = await dossier(workplace, 'export', 'job.yaml', ...flags, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ run: 'r1', waiting: 'r2', folder: output });
  expect(again.stderr).toContain('r2 is held (');
  expect(filesIn(output)).toEqual(good);

  // The next night tries ten of the lost companies, and stops.
  const atFirst = workplace.seen.length;
  const stopped = await workplace.run([job]);
  expect(stopped.exitCode, stopped.stderr).toBe(4);
  expect(stopped.stderr).toContain(
    'STILL_VANISHED: stopped before other calls: of 10 companies that vanished last time, 10 are still missing',
  );
  expect(workplace.seen.length - atFirst).toBe(10);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ calls: { made: 10 }, requests: 10 });
  expect(filesIn(output)).toEqual(good);

  isEmpty = false;
  const before = workplace.seen.length;
  const next = await succeeded(workplace.run([job]));
  // The ten that were tried are looked up again as well.
  expect(workplace.seen.length - before).toBe(120);
  expect(JSON.parse(next.stdout)).toMatchObject({
    run: 'r4',
    held: null,
    rows: { matched: 120, stale: 0 },
  });
  expect(manifestIn(output)).toMatchObject({ run: 'r4', held: null });
  expect(existsSync(aside)).toBe(false);
});

test('a stopped run writes its rows so far, but never over a complete result', async () => {
  let isDown = false;
  await using workplace = await openWorkplace(service, () =>
    isDown ? { status: 503, body: '{}' } : undefined,
  );
  const output = join(workplace.folder, 'output');
  const job = writeJob(workplace, 30);
  const first = await workplace.run([job, '--max-calls', '10', '--concurrency', '2']);
  expect(first.exitCode, first.stderr).toBe(75);
  expect(first.stderr).toContain('The files are in output: 10 of 30 rows done\n');
  expect(manifestIn(output)).toMatchObject({
    run: 'r1',
    complete: false,
    held: null,
    rows: { total: 30, matched: 10, open: 20 },
  });
  await succeeded(workplace.run([job]));
  expect(manifestIn(output)).toMatchObject({ run: 'r1', complete: true });
  const good = filesIn(output);

  isDown = true;
  const night = await workplace.run([job]);
  expect(night.exitCode).toBe(69);
  const aside = join(output, 'held-r2');
  expect(night.stderr).toContain('The files are in output/held-r2: ');
  expect(filesIn(output)).toEqual(good);
  expect(manifestIn(aside)).toMatchObject({ complete: false, held: null });

  // The job says that an incomplete result is better than an old one.
  const output2 = { output: { whenIncomplete: 'publish' } };
  const published = await workplace.run([writeJob(workplace, 30, output2)]);
  expect(published.exitCode).toBe(69);
  expect(manifestIn(output)).toMatchObject({ run: 'r2', complete: false });

  isDown = false;
  const resumed = await workplace.run([writeJob(workplace, 30)]);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ run: 'r2', resumed: true });
  expect(manifestIn(output)).toMatchObject({ run: 'r2', complete: true });
  expect(existsSync(aside)).toBe(false);
});
