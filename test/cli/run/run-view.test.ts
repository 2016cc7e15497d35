import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openRunView } from '../../../src/cli/run/run-view.ts';
import { ensurePages } from '../../support/built-page.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';

const list = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');

beforeAll(ensurePages, 60_000);
afterEach(() => vi.unstubAllEnvs());

function demo(folder: string, env: Record<string, string>, limit = 3) {
  const places = ['--output', join(folder, 'out'), '--ledger', join(folder, 'ledger.db')];
  const args = ['run', list, '--url', 'embedded', '--limit', `${limit}`, '--open', ...places];
  return runDossier(args, { env });
}

/** A fake browser that records the addresses it is asked to open. */
function idleBrowser(folder: string) {
  const opened = join(folder, 'opened.txt');
  const opener = join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\necho "$1" >> '${opened}'\n`);
  chmodSync(opener, 0o755);
  return {
    env: { PATH: [folder, process.env.PATH].join(delimiter), DISPLAY: ':0' },
    opened: () => (existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []),
  };
}

function watched(folder: string) {
  return testJob({ ledger: join(folder, 'ledger.db') });
}

test('run --open ends with the report in the browser', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  const { exitCode } = await demo(folder.path, browser.env);
  expect(exitCode).toBe(0);
  const report = join(folder.path, 'out/try/report.html');
  await expect.poll(() => browser.opened().at(-1)).toBe(report);
});

test('the live page of a short run is neither announced nor opened', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  for (const [name, value] of Object.entries(browser.env)) vi.stubEnv(name, value);
  const told: string[] = [];
  const waits = { announceMs: 60_000, seenMs: 60_000 };
  await using view = await openRunView(watched(folder.path), (url) => told.push(url), waits);
  await view.showReport('report.html');
  await expect.poll(browser.opened).toEqual(['report.html']);
  expect(told).toEqual([]);
});

test('a browser that never asked for the live page gets the report', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  for (const [name, value] of Object.entries(browser.env)) vi.stubEnv(name, value);
  const told: string[] = [];
  const waits = { announceMs: 0, seenMs: 200 };
  await using view = await openRunView(watched(folder.path), (url) => told.push(url), waits);
  await expect.poll(browser.opened).toHaveLength(1);
  await view.showReport('report.html');
  await expect.poll(browser.opened).toEqual([...told, 'report.html']);
});

test('the report is not opened when a browser has loaded the live page', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  for (const [name, value] of Object.entries(browser.env)) vi.stubEnv(name, value);
  const seen = new AbortController();
  const told = Promise.withResolvers<string>();
  const waits = { announceMs: 0, seenMs: 60_000 };
  await using view = await openRunView(watched(folder.path), told.resolve, waits);
  const url = await told.promise;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  await fetch(`${url}events`, { signal: seen.signal });
  await expect.poll(browser.opened).toEqual([url]);
  await view.showReport('report.html');
  seen.abort();
  expect(browser.opened()).toEqual([url]);
});

test('without a display the run ends as always, and names its report', async () => {
  using folder = temporaryFolder();
  const { exitCode, stderr } = await demo(folder.path, {});
  expect(exitCode).toBe(0);
  expect(stderr).toContain('report.html');
});

test('after run --open the ledger file alone holds the run', async () => {
  using folder = temporaryFolder();
  await demo(folder.path, {});
  // From now on the live view finds a ledger at its start.
  await demo(folder.path, {}, 5);
  const copy = join(folder.path, 'copy.db');
  copyFileSync(join(folder.path, 'ledger.db'), copy);
  const { stdout } = await runDossier(['status', 'leads', '--json', '--ledger', copy]);
  const runs = [
    { run: 'r2', state: 'finished', rows: { total: 5 } },
    { run: 'r1', state: 'finished' },
  ];
  expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ runs }] });
});
