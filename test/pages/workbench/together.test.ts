import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { launchChromium } from '../../../scripts/launch-chromium.ts';
import { openPage, testInBrowser } from '../../support/browser.ts';
import { type OpenUi, openUi } from '../../support/open-ui.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../../support/small-service.ts';
import { startDossier } from '../../support/start-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const patient = { timeout: 30_000 };
const rows = 40;

const folder = temporaryFolder();
let browser: Browser | undefined;
let service: SmallService;
let ui: OpenUi;

beforeAll(async () => {
  browser = await launchChromium();
  if (!browser) return;
  service = await openSmallService(async () => {
    await sleep(100);
    return undefined;
  });
  const domains = Array.from({ length: rows }, (_, at) => `lead-${at}.com.au`);
  writeFileSync(join(folder.path, 'leads.csv'), ['Website', ...domains].join('\n'));
  const job = 'name: leads\ninput: { path: leads.csv }\nlimits: { rate: 10 }\n';
  writeFileSync(join(folder.path, 'leads.yaml'), job);
  ui = await openUi(folder.path, service.env);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await ui?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

testInBrowser('two tabs and a terminal agree on one run, whoever starts and stops it', async () => {
  const options = { cwd: folder.path, env: service.env };
  await using one = await openPage(browser, `${ui.url}#/result/leads.yaml`);
  await using two = await openPage(browser, `${ui.url}#/read/leads.yaml`);
  await two.page.getByRole('button', { name: `Run · ${rows} calls` }).waitFor(patient);

  // The terminal starts it. One tab watches; the other, which knew of nothing, may not start it again.
  await using terminal = startDossier(['run', 'leads.yaml'], options);
  await heading(one.page, /^Asking/).waitFor(patient);
  await two.page.getByRole('button', { name: /^Run/ }).click();
  await two.page.getByText('a run of leads is under way already').waitFor(patient);
  await two.page.getByRole('link', { name: 'Result' }).click();
  await heading(two.page, /^Asking/).waitFor(patient);

  // One tab stops it, and the terminal ends as by Ctrl-C.
  await one.page.getByRole('button', { name: 'Stop' }).click();
  await heading(two.page, /^Stopped: \d+ of 40 asked/).waitFor(patient);
  await vi.waitFor(() => expect(terminal.process.exitCode).toBe(130), patient);

  // The other goes on with it; a terminal that wants to, too, is told that it is busy.
  await two.page.getByRole('button', { name: /^Go on/ }).click();
  await heading(one.page, /^Asking/).waitFor(patient);
  expect((await runDossier(['run', 'leads.yaml'], options)).exitCode).toBe(75);
  await heading(one.page, `100% matched: ${rows} of ${rows}`).waitFor(patient);
  await heading(two.page, `100% matched: ${rows} of ${rows}`).waitFor(patient);

  // No call was made twice, and the terminal tells the same run.
  expect(new Set(service.seen.map(({ path }) => path)).size).toBe(rows);
  expect(service.seen).toHaveLength(rows);
  const { stdout } = await runDossier(['status', 'leads.yaml', '--json'], options);
  const { runs, starts } = JSON.parse(stdout).jobs[0];
  expect(runs).toMatchObject([{ run: 'r1', state: 'finished', rows: { matched: rows } }]);
  const startedBy = (starts as { startedBy: string }[]).map((start) => start.startedBy);
  expect(startedBy.slice(-2)).toEqual(['page', 'script']);
  expect(one.complaints).toEqual([]);
});
