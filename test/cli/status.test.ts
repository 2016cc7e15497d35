import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noCounts } from '../../src/core/rules/outcomes.ts';
import { StatusJson } from '../../src/facts/status.ts';
import { packageVersion } from '../../src/platform/package-path.ts';
import { startDossier, succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const never = new Promise<never>(() => {});
const leads = 'Website\nacme.com\nglobex.com\nunknown.com\nno company\n';

function openLeads(env: Record<string, string> = {}) {
  const folder = openFolder({ 'leads.csv': leads }, env);
  return {
    ...folder,
    /** The job as `status --json` shows it. */
    async job() {
      const { stdout, exitCode } = await folder.dossier('status leads.csv --json');
      expect(exitCode).toBe(0);
      return StatusJson.parse(JSON.parse(stdout)).jobs[0];
    },
  };
}

test('before the first run, status says so, ends with 0 and creates no ledger', async () => {
  using folder = openLeads();
  expect(await folder.dossier('status')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Nothing has run yet: there is no .home/dossier/ledger.db.\n',
  });
  const { stdout } = await succeeded(folder.dossier('status leads.csv --json'));
  expect(StatusJson.parse(JSON.parse(stdout))).toMatchObject({ jobs: [], lookups: null });
  expect(readdirSync(folder.path)).toEqual(['leads.csv']);
  for (const [args, code, message] of [
    ['leeds', 65, 'has no run of the job leeds'],
    ['missing.yaml', 78, 'missing.yaml does not exist'],
    ['--runs 0', 64, '--runs needs a whole number'],
    ['--ledger leads.csv', 74, 'leads.csv cannot be used: file is not a database'],
  ] as const) {
    const finished = await folder.dossier(`status ${args}`);
    expect(finished).toMatchObject({ exitCode: code, stdout: '' });
    expect(finished.stderr).toContain(message);
  }
});

test('a run is shown as running, as killed with possibly charged calls, and as finished', async () => {
  // The second answer waits until the process is dead.
  await using service = await openSmallService((_, index) => (index === 1 ? never : undefined));
  const { env } = service;
  using folder = openLeads(env);
  const run = 'run leads.csv --concurrency 1';
  await using killed = startDossier(run.split(' '), { cwd: folder.path, env });
  await service.untilSeen(2);
  const { runs: [running] = [], starts: alive } = (await folder.job()) ?? {};
  expect(alive).toMatchObject([{ state: 'running', run: 'r1', exitCode: null, endedAt: null }]);
  expect(running).toMatchObject({ run: 'r1', state: 'running', endedAt: null });
  expect(running?.possiblyCharged).toEqual([]);
  expect(running?.seconds).toBeGreaterThan(0);

  await killed.stop('SIGKILL');
  const ledger = () => readFileSync(join(folder.path, '.home/dossier/ledger.db'));
  const before = ledger();
  const none = noCounts();
  const possiblyCharged = ['company?country=AU&fqdn=globex.com'];
  expect((await folder.job())?.runs).toMatchObject([
    {
      state: 'killed',
      seconds: null,
      possiblyCharged,
      rows: { ...none.rows, total: 4, matched: 1, invalid: 1, open: 2 },
      calls: { ...none.calls, made: 1, open: 2 },
    },
  ]);
  const text = await folder.dossier('status leads');
  expect(text.stdout).toContain('    rows    4: 1 found, 1 invalid, 2 open\n');
  expect(text.stdout).toMatch(/^[\d-]{10} [\d:]{5} UTC {2}r1 {3}killed {2}\S+$/m);
  expect(text.stdout).toContain(
    [
      '    1 call may have been charged without an answer, if it was sent:',
      '      company?country=AU&fqdn=globex.com',
      '    Run the same command again, with the same flags, to continue.',
    ].join('\n'),
  );
  expect(ledger().equals(before)).toBe(true);

  const resumed = await succeeded(folder.dossier(`${run} --json`));
  const { runs: [finished] = [], starts } = (await folder.job()) ?? {};
  // The time includes writing the results, which begins at `endedAt`.
  const { startedAt, endedAt, seconds } = JSON.parse(resumed.stdout);
  const untilWriting = (Date.parse(endedAt) - Date.parse(startedAt)) / 1_000;
  expect([seconds, finished?.seconds].every((some) => some > untilWriting)).toBe(true);
  const here = { run: 'r1', host: hostname(), pid: expect.any(Number), version: packageVersion() };
  expect(starts).toMatchObject([
    { state: 'ended', exitCode: 0, reason: null, endedAt: expect.any(String), ...here },
    { state: 'killed', exitCode: null, endedAt: null, ...here, pid: killed.process.pid },
  ]);
  expect(finished).toMatchObject({
    run: 'r1',
    state: 'finished',
    endedAt: expect.any(String),
    rows: { ...none.rows, total: 4, matched: 2, not_found: 1, invalid: 1 },
    calls: { ...none.calls, made: 3 },
    // The call has an answer now, but its first lease may have been charged.
    possiblyCharged,
  });
});

test('status shows one line for each job and one for all lookups; a try is marked as one', async () => {
  await using service = await openSmallService();
  using folder = openLeads(service.env);
  await folder.dossier('run leads.csv --max-calls 1');
  const stopped = await folder.dossier('status');
  expect(stopped.stdout).toMatch(/leads: last start .* UTC on \S+: exit 75\s+BUDGET_SPENT/);
  folder.write('leads.csv', `${leads}initech.com\n`);
  await folder.dossier('run leads.csv');
  for (const domain of ['acme.com', 'hooli.com']) await folder.dossier(`lookup ${domain}`);

  const all = await folder.dossier('status');
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(all.stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '<minute>')).toBe(
    [
      'job    state     rows  found  open  calls  started',
      'leads  finished     5      3     0      3  <minute> UTC',
      '',
      '2 `lookup` commands, last <minute> UTC',
      '',
    ].join('\n'),
  );
  expect((await folder.job())?.runs).toMatchObject([
    { run: 'r2', state: 'finished', calls: { made: 3, reused: 1 } },
    { run: 'r1', state: 'superseded', calls: { made: 1, open: 2 } },
  ]);
  const one = await folder.dossier('status leads --runs 1');
  expect(one.stdout).toMatch(/^leads: 2 runs in .home\/dossier\/ledger.db\n/);
  expect(one.stdout).toContain(
    '    calls   3 made, 1 saved (1 already answered)\n    spent   3 calls, price not set\n\n',
  );
  expect(one.stdout).toContain('1 older run; --runs shows more\n');
  expect(one.stdout).toMatch(/ r2 +exit 0 .*\n.* r1 +exit 75 BUDGET_SPENT .* \S+\n$/);

  await folder.dossier('run leads.csv --limit 2');
  const tried = (await folder.dossier('status leads --runs 2')).stdout;
  expect(tried).toMatch(/^r2 +\w+ [\s\S]*^r\d +try, /m);
  expect(tried).toContain('            trial run of the first rows (--limit 2)\n');
});
