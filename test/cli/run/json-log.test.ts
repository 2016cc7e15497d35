import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { packagePath } from '../../../src/platform/package-path.ts';
import { RunEnd } from '../../../src/run/run-schemas.ts';
import { cleanEnvironment } from '../../support/clean-environment.ts';
import { testIf } from '../../support/needs.ts';
import { runDossier, succeeded } from '../../support/run-dossier.ts';
import { openSmallService } from '../../support/small-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const asEvents = ['--log-format', 'json', '--rate', 'none'];

function folderWithList() {
  const folder = temporaryFolder();
  const sites = ['acme.com.au', 'beta.com.au', 'unknown.com.au', 'not a domain'];
  writeFileSync(join(folder.path, 'leads.csv'), ['website', ...sites].join('\n'));
  return folder;
}

/** Every line of standard error is an event; anything else would not parse. */
function eventsOf(stderr: string): Record<string, unknown>[] {
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Makes the second thread warn as a dependency may. */
const warning = `data:text/javascript,${encodeURIComponent(`
  import { isMainThread } from 'node:worker_threads';
  if (!isMainThread) process.emitWarning('old habit');`)}`;

test.concurrent('a JSON log has only events, also for warnings of Node; the last one sums up the run', async () => {
  using folder = folderWithList();
  // Large enough for the second thread.
  const filler = `acme.com.au,${'x'.repeat(65_536)}`;
  const sites = ['beta.com.au,', 'unknown.com.au,', 'not a domain,'];
  writeFileSync(join(folder.path, 'leads.csv'), ['website,note', ...sites, filler].join('\n'));
  await using service = await openSmallService((_path, index) =>
    index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : undefined,
  );
  const { stderr } = await succeeded(
    runDossier(['run', 'leads.csv', ...asEvents], {
      cwd: folder.path,
      env: { ...service.env, NODE_OPTIONS: `--import ${warning}` },
    }),
  );
  const events = eventsOf(stderr);
  const throttled = events.find(({ event }) => event === 'service.throttled');
  expect(throttled).toMatchObject({ waitSeconds: 1, atMostSeconds: 900 });
  expect(throttled?.until).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
  const expected = { level: 'warn', message: expect.stringContaining('old habit') };
  // One core has no second thread.
  expect(events.filter(({ event }) => event === 'node.warning')).toMatchObject(
    availableParallelism() > 1 ? [expected] : [],
  );
  expect(events.at(-1)).toMatchObject({
    event: 'run.ended',
    level: 'info',
    job: 'leads',
    run: 'r1',
    exitCode: 0,
    rows: { matched: 2, not_found: 1, invalid: 1, failed: 0, open: 0 },
    calls: { made: 3, shared: 0, reused: 0, joined: 0, failed: 0, open: 0 },
    requests: 3,
    folder: join(folder.path, 'output/leads'),
    report: join(folder.path, 'output/leads/report.html'),
  });
});

test.concurrent('a JSON log reports signals, and which calls the second one cut off', async () => {
  using folder = folderWithList();
  await using service = await openSmallService(() => ({ neverAnswer: true }));
  const args = ['run', 'leads.csv', ...asEvents, '--log-level', 'error', '--json'];
  const child = spawn(process.execPath, [packagePath('src/main.ts'), ...args], {
    cwd: folder.path,
    env: cleanEnvironment(service.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = text(child.stdout);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    // The first event says that the run waits; the second signal ends that.
    if (stderr.includes('run.stopping')) child.kill('SIGHUP');
  });
  await service.untilSeen(3);
  child.kill('SIGHUP');
  expect(await once(child, 'close')).toEqual([143, null]);
  expect(eventsOf(stderr)).toMatchObject([
    { event: 'run.stopping', answers: 3, atMostSeconds: expect.any(Number) },
    { event: 'run.cut_off', unanswered: [{ operation: 'company' }, {}, {}] },
    { event: 'run.ended', exitCode: 143, reason: 'TERMINATED', requests: 3 },
  ]);
  expect(RunEnd.parse(JSON.parse(await stdout))).toMatchObject({
    exitCode: 143,
    reason: 'TERMINATED',
    run: 'r1',
    requests: 3,
    rows: { open: 3 },
    message: expect.stringContaining('charged without an answer: 3'),
  });
});

testIf(existsSync('/dev/full'), 'there is no /dev/full')(
  'a run that cannot print its JSON summary logs one end, with its exit code',
  async () => {
    using folder = folderWithList();
    await using service = await openSmallService();
    const full = openSync('/dev/full', 'w');
    const child = spawn(
      process.execPath,
      [packagePath('src/main.ts'), 'run', 'leads.csv', '--json', ...asEvents],
      { cwd: folder.path, env: cleanEnvironment(service.env), stdio: ['ignore', full, 'pipe'] },
    );
    closeSync(full);
    const [stderr] = await Promise.all([
      text(child.stderr ?? expect.unreachable()),
      once(child, 'exit'),
    ]);
    expect(child.exitCode, stderr).toBe(74);
    const ends = eventsOf(stderr).filter(({ event }) => event === 'run.ended');
    expect(ends).toEqual([
      expect.objectContaining({ run: 'r1', exitCode: 74, reason: 'OUTPUT_TROUBLE', requests: 3 }),
    ]);
  },
);
