import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { openPage, testInBrowser } from '../../../support/browser.ts';
import { runDossier } from '../../../support/run-dossier.ts';
import { startDossier } from '../../../support/start-dossier.ts';
import { workbenchInBrowser } from '../../../support/workbench-in-browser.ts';

const patient = { timeout: 30_000 };
const rows = 40;

/** Answers wait for it as well. */
let held = Promise.resolve();
const answer = () => Promise.all([sleep(100), held]);
const workbench = workbenchInBrowser(answer, (folder) => {
  const domains = Array.from({ length: rows }, (_, at) => `lead-${at}.com.au`);
  writeFileSync(join(folder, 'leads.csv'), ['Website', ...domains].join('\n'));
  const job = 'name: leads\ninput: { path: leads.csv }\nlimits: { rate: 10 }\n';
  writeFileSync(join(folder, 'leads.yaml'), job);
});

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

testInBrowser('two tabs and a terminal agree on one run, whoever starts and stops it', async () => {
  const { browser, folder, service, ui } = workbench;
  const options = { cwd: folder, env: service.env };
  await using one = await openPage(browser, `${ui.url}#/result/leads.yaml`);
  await using two = await openPage(browser, `${ui.url}#/read/leads.yaml`);
  await two.page
    .getByRole('button', { name: `Run · up to ${Math.ceil(rows * 1.1)} lookups` })
    .waitFor(patient);

  // The terminal starts it. Both tabs see it, and nobody can start it again.
  await using terminal = startDossier(['run', 'leads.yaml'], options);
  await heading(one.page, /^\d+ of \d+ rows done/).waitFor(patient);
  await two.page.getByText('A run of this list is under way').waitFor(patient);
  const again = { method: 'POST', query: { job: 'leads.yaml' }, body: {} };
  expect((await ui.ask('run', again)).body).toMatchObject({ code: 'JOB_BUSY' });
  await two.page.getByRole('link', { name: 'Result' }).click();
  await heading(two.page, /^\d+ of \d+ rows done/).waitFor(patient);

  // One tab stops it, and the terminal ends as by Ctrl-C.
  await one.page.getByRole('button', { name: 'Stop' }).click();
  await heading(two.page, /^Stopped: \d+ of 40 rows done/).waitFor(patient);
  await vi.waitFor(() => expect(terminal.process.exitCode).toBe(130), patient);

  // The other goes on with it; a terminal that wants to, too, is told that it is busy.
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  await two.page.getByRole('button', { name: /^Go on/ }).click();
  await heading(one.page, /^\d+ of \d+ rows done/).waitFor(patient);
  expect((await runDossier(['run', 'leads.yaml'], options)).exitCode).toBe(75);
  gate.resolve();
  await heading(one.page, `${rows} rows done · ${rows} found (100%)`).waitFor(patient);
  await heading(two.page, `${rows} rows done · ${rows} found (100%)`).waitFor(patient);

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
