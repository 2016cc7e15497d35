import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noCounts } from '../../src/core/rules/outcomes.ts';
import { packageVersion } from '../../src/core/runtime/package-path.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { StatusJson } from '../../src/ui/overview/status.ts';
import { runDossier } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { startDossier } from '../support/start-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { rows: none } = noCounts();
const never = new Promise<never>(() => {});
const leads = 'Website\nacme.com\nglobex.com\nunknown.com\nno company\n';

function folderWithLeads() {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, 'leads.csv'), leads);
  return folder;
}

/** A job as `status --json` shows it. */
async function statusOf(job: string, cwd: string) {
  const { stdout, exitCode } = await runDossier(['status', job, '--json'], { cwd });
  expect(exitCode).toBe(0);
  return StatusJson.parse(JSON.parse(stdout)).jobs[0];
}

/** The newest runs of a job as `status --json` shows them. */
async function runsOf(job: string, cwd: string) {
  return (await statusOf(job, cwd))?.runs ?? [];
}

describe('before the first run', () => {
  test('status says so, ends with 0 and creates no ledger', async () => {
    using folder = folderWithLeads();
    const all = await runDossier(['status'], { cwd: folder.path });
    expect(all).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing has run yet: there is no output/ledger.db.\n',
    });
    const { exitCode, stdout } = await runDossier(['status', 'leads.csv', '--json'], {
      cwd: folder.path,
    });
    expect(exitCode).toBe(0);
    expect(StatusJson.parse(JSON.parse(stdout))).toMatchObject({ jobs: [], lookups: null });
    expect(readdirSync(folder.path)).toEqual(['leads.csv']);
  });

  test.each([
    [['leeds'], 65, 'has no run of a job leeds'],
    [['missing.yaml'], 78, 'missing.yaml does not exist'],
    [['--runs', '0'], 64, '--runs needs a whole number'],
    [['--ledger', 'leads.csv'], 74, 'leads.csv cannot be used: file is not a database'],
  ])('%j ends with %d', async (args, exitCode, message) => {
    using folder = folderWithLeads();
    const finished = await runDossier(['status', ...args], { cwd: folder.path });
    expect(finished).toMatchObject({ exitCode, stdout: '' });
    expect(finished.stderr).toContain(message);
  });
});

test('a run is shown as running, as killed with possibly charged calls, and as finished', async () => {
  using folder = folderWithLeads();
  const cwd = folder.path;
  // The second answer waits until the process is dead.
  await using service = await openSmallService((_, index) => (index === 1 ? never : undefined));
  const { env } = service;
  const args = ['run', 'leads.csv', '--concurrency', '1'];

  await using killed = startDossier(args, { cwd, env });
  await service.untilSeen(2);
  const { runs: [running] = [], starts: alive } = (await statusOf('leads.csv', cwd)) ?? {};
  expect(alive).toMatchObject([{ state: 'running', run: 'r1', exitCode: null, endedAt: null }]);
  expect(running).toMatchObject({
    run: 'r1',
    state: 'running',
    endedAt: null,
    possiblyCharged: [],
  });
  expect(running?.seconds).toBeGreaterThan(0);

  await killed.stop('SIGKILL');
  const before = digest(join(cwd, 'output/ledger.db'));
  const possiblyCharged = ['company?country=AU&fqdn=globex.com'];
  expect(await runsOf('leads', cwd)).toEqual([
    expect.objectContaining({
      state: 'killed',
      seconds: null,
      rows: { ...none, total: 4, matched: 1, invalid: 1, open: 2 },
      calls: { made: 1, shared: 0, reused: 0, joined: 0, saved: 0, failed: 0, open: 2 },
      possiblyCharged,
    }),
  ]);
  const text = await runDossier(['status', 'leads'], { cwd });
  expect(text.stdout).toContain('    rows    4: 1 matched, 1 invalid, 2 open\n');
  expect(text.stdout).toMatch(/^[\d-]{10} [\d:]{5} UTC {2}r1 {3}killed {2}\S+$/m);
  expect(text.stdout).toContain(
    [
      '    1 call may have been charged without an answer:',
      '      company?country=AU&fqdn=globex.com',
      '    Run the same command again, with the same flags, to go on.',
    ].join('\n'),
  );
  expect(digest(join(cwd, 'output/ledger.db'))).toBe(before);

  expect((await runDossier(args, { cwd, env })).exitCode).toBe(0);
  const { runs, starts } = (await statusOf('leads', cwd)) ?? {};
  const here = { run: 'r1', host: hostname(), pid: expect.any(Number), version: packageVersion() };
  expect(starts).toMatchObject([
    { state: 'ended', exitCode: 0, reason: null, endedAt: expect.any(String), ...here },
    { state: 'killed', exitCode: null, endedAt: null, ...here, pid: killed.process.pid },
  ]);
  expect(runs).toEqual([
    expect.objectContaining({
      run: 'r1',
      state: 'finished',
      endedAt: expect.any(String),
      rows: { ...none, total: 4, matched: 2, not_found: 1, invalid: 1 },
      calls: { made: 3, shared: 0, reused: 0, joined: 0, saved: 0, failed: 0, open: 0 },
      // The call has an answer now, but its first lease may have been charged.
      possiblyCharged,
    }),
  ]);
});

test('status shows one line for each job and one for all lookups', async () => {
  using folder = folderWithLeads();
  const cwd = folder.path;
  await using service = await openSmallService();
  const { env } = service;
  await runDossier(['run', 'leads.csv', '--max-calls', '1'], { cwd, env });
  const stopped = await runDossier(['status'], { cwd });
  expect(stopped.stdout).toMatch(/leads: last start .* UTC on \S+: exit 75\s+BUDGET_SPENT/);
  writeFileSync(join(cwd, 'leads.csv'), `${leads}initech.com\n`);
  await runDossier(['run', 'leads.csv'], { cwd, env });
  const lookups = ['acme.com', 'hooli.com'].map((domain) => ['lookup', domain]);
  await Promise.all(lookups.map((args) => runDossier(args, { cwd, env })));

  const [all, one, runs] = await Promise.all([
    runDossier(['status'], { cwd }),
    runDossier(['status', 'leads', '--runs', '1'], { cwd }),
    runsOf('leads', cwd),
  ]);
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(all.stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '<minute>')).toBe(
    [
      'job    state     rows  matched  open  calls  started',
      'leads  finished     5        3     0      3  <minute> UTC',
      '',
      '2 lookups, last <minute> UTC',
      '',
    ].join('\n'),
  );
  expect(runs).toMatchObject([
    { run: 'r2', state: 'finished', calls: { made: 3, reused: 1 } },
    { run: 'r1', state: 'superseded', calls: { made: 1, open: 2 } },
  ]);
  expect(one.stdout).toMatch(/^leads: 2 runs in output\/ledger.db\n/);
  expect(one.stdout).toContain('    calls   3 made, 1 saved (1 reused), 0 open\n');
  expect(one.stdout).toContain('1 older run; --runs shows more\n');
  expect(one.stdout).toMatch(/ r2 +exit 0 .*\n.* r1 +exit 75 BUDGET_SPENT .* \S+\n$/);
});

describe('a ledger', () => {
  const start = {
    ...{
      jobFingerprint: '',
      verdictTerms: '',
      inputStamp: null,
      inputName: '',
      inputPath: '/leads.csv',
      columns: [],
      startedAt: 1,
    },
    ...{ list: '/leads.csv', listId: 1, rowLimit: null, service: 'http://127.0.0.1:9' },
  };

  test('shows a --limit run as a try, after the last complete run', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'ledger.db');
    using ledger = openLedger(path);
    for (const rowLimit of [null, 5]) {
      const run = ledger.runs.start({ ...start, job: 'leads', rowLimit, hasPeople: false });
      const read = { columns: [], keyColumns: null, inputSha256: '', listId: 1 };
      ledger.runs.completeIngest(run, read);
    }
    const { stdout } = await runDossier(['status', 'leads', '--ledger', path]);
    expect(stdout).toMatch(/^r1 +\w+,[\s\S]*^r2 +try, /m);
    expect(stdout).toContain('            a try of its first rows (--limit 5)\n');
  });
});

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
