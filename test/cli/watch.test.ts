import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { launchChromium } from '../../scripts/launch-chromium.ts';
import type { CallRequest } from '../../src/contract/call.ts';
import { openCallMeter } from '../../src/run/calls/call-meter.ts';
import { runJob } from '../../src/run/run-job.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { answerOf, domains, type SmallWorld } from '../queue/small-world.ts';
import { openPage, testInBrowser } from '../support/browser.ts';
import { ensurePages } from '../support/built-page.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testJob } from '../support/test-job.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const world: SmallWorld = {
  companies: domains.map((fqdn, number) => ({
    ...{ id: `c_${number}`, abn: undefined, slug: undefined, people: {} },
    fqdn,
  })),
  others: {},
  pageLimit: 9,
  saysTotal: true,
};

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchChromium();
  await ensurePages();
});
const children = new Set<ChildProcess>();
afterAll(async () => {
  // A test that timed out does not end its processes itself.
  for (const child of children) child.kill('SIGKILL');
  await browser?.close();
});

/** A run whose service waits with the first answer until the test releases it. */
function startSlowRun(folder: string) {
  const path = join(folder, 'leads.csv');
  writeFileSync(path, ['website', ...domains].join('\n'));
  const waiting: (() => void)[] = [];
  let isHurried = false;
  const meter = openCallMeter(systemClock);
  const job = testJob({
    input: { path, options: {}, maxRows: undefined },
    output: { ...testJob().output, path: join(folder, 'output') },
    ledger: join(folder, 'ledger.db'),
  });
  const ended = runJob(job, {
    openClient: async () => ({
      send: async (call: CallRequest) => {
        if (!isHurried) await new Promise<void>((resolve) => waiting.push(resolve));
        meter.note({ type: 'attempt.made', verdict: 'hit', durationMs: 5 });
        return answerOf(world, call);
      },
      stop: () => {},
      [Symbol.asyncDispose]: async () => {},
    }),
    meter,
    clock: systemClock,
    version: '0.0.0',
    signal: new AbortController().signal,
    observer: { onIngest() {}, onStart() {}, onProgress() {}, onExport() {} },
  });
  return {
    job,
    ended,
    areWaiting: () => waiting.length,
    answerOne: () => waiting.shift()?.(),
    answerAll() {
      isHurried = true;
      for (const go of waiting) go();
    },
  };
}

/** `dossier watch` in a process of its own. */
async function startWatch(args: readonly string[]) {
  const child = spawn(process.execPath, [main, 'watch', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.add(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const stop = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [exitCode] = await ended;
    return exitCode;
  };
  return { url, stop, [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')) };
}

testInBrowser('a run of another process is followed to its end', { timeout: 90_000 }, async () => {
  using folder = temporaryFolder();
  const run = startSlowRun(folder.path);
  await expect.poll(run.areWaiting).toBeGreaterThan(0);
  const jobFile = join(folder.path, 'leads.yaml');
  writeFileSync(
    jobFile,
    'name: leads\nservice: {url: embedded}\ninput: {path: leads.csv}\noutput: {path: output}\nledger: ledger.db\n',
  );
  await using watch = await startWatch([jobFile]);
  await using opened = await openPage(browser, watch.url);
  const { page } = opened;
  const summary = page.locator('.summary h2');
  await page.locator('.state', { hasText: 'Running' }).waitFor();
  expect(await summary.textContent()).toContain(`0 of ${domains.length} rows done`);

  run.answerOne();
  await summary.filter({ hasText: `1 of ${domains.length} rows done` }).waitFor();
  expect(await page.locator('.so-far').textContent()).toBe(
    '100% matched so far: 1 of 1 row asked for',
  );
  await page.locator('#latest td', { hasText: 'd0.com.au' }).waitFor();

  run.answerAll();
  const { exported } = await run.ended;
  await page.locator('.state', { hasText: 'Finished' }).waitFor();
  await summary.filter({ hasText: `${exported.counts.matched} of` }).waitFor();
  expect(await page.locator('#rows tbody tr.line').count()).toBe(domains.length);
  const files = await page.locator('#files tbody th').allTextContents();
  expect(files).toEqual(exported.files.map(({ name }) => name));
  expect(await page.locator('#files .lead').textContent()).toContain(
    relative(process.cwd(), exported.folder ?? ''),
  );
  expect(opened.complaints).toEqual([]);
  const { origin } = new URL(watch.url);
  for (const request of opened.requests) expect(new URL(request).origin).toBe(origin);

  expect(await watch.stop('SIGINT')).toBe(0);
  // The page keeps the last report when the server is gone.
  expect(await page.locator('.state').textContent()).toBe('Finished');
});

test('an unknown job and a ledger without a run are errors', async () => {
  using folder = temporaryFolder();
  const ledger = ['--ledger', join(folder.path, 'ledger.db')];
  const [nobody, nothing] = await Promise.all([
    runDossier(['watch', 'nobody', ...ledger]),
    runDossier(['watch', ...ledger]),
  ]);
  for (const { exitCode, stdout, stderr } of [nobody, nothing]) {
    expect([exitCode, stdout]).toEqual([65, '']);
    expect(stderr).toContain('RUN_MISSING');
  }
});
