import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, testInBrowser } from '../support/browser.ts';
import { runDossier } from '../support/run-dossier.ts';
import { sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

const rows = 20;

/** Answers from the sixth on wait until somebody opens the gate. */
let gate = Promise.withResolvers<void>();
const workbench = sharedWorkbench({
  async react(_, index) {
    if (index > 4) await gate.promise;
    return undefined;
  },
  fill(folder) {
    const domains = Array.from({ length: rows }, (_, at) => `lead-${at}.com.au`);
    folder.write('leads.csv', ['Website', ...domains].join('\n'));
    const limits = 'limits: { rate: none, concurrency: 4 }';
    folder.write('leads.yaml', `name: leads\ninput: { path: leads.csv }\n${limits}\n`);
  },
});

/** Rows in view that have found their company. */
const found = ({ page }: { page: Page }) => page.locator('tbody .dot.matched').count();
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

testInBrowser('two tabs and a terminal agree on one run, whoever starts and stops it', async () => {
  const { folder, ui } = workbench;
  await using one = await openPage(`${ui.url}#/result/leads.yaml`);
  await using two = await openPage(`${ui.url}#/read/leads.yaml`);
  await heading(one.page, 'Nothing has been looked up yet').waitFor();
  await two.page.getByRole('button', { name: 'Run · up to 22 calls' }).waitFor();

  // The terminal starts it. Both tabs see it, and nobody can start it again.
  await using terminal = folder.start('run', 'leads.yaml');
  const ended = new Promise((resolve) => terminal.process.once('exit', resolve));
  await heading(one.page, '5 of 20 rows done').waitFor();
  await expect.poll(() => found(one)).toBe(5);
  await two.page.getByText('A run of this list is in progress').waitFor();
  const again = { method: 'POST', query: { job: 'leads.yaml' }, body: {} };
  expect(await ui.answer('run', again)).toMatchObject({ code: 'JOB_BUSY' });
  await two.page.getByRole('link', { name: 'Result' }).click();
  await heading(two.page, '5 of 20 rows done').waitFor();

  // One tab stops it, which waits for what is on the wire; the terminal ends as by Ctrl-C.
  await one.page.getByRole('button', { name: 'Stop' }).click();
  await heading(two.page, 'Waiting for 4 answers, then the run stops').waitFor();
  gate.resolve();
  await heading(two.page, 'Stopped: 9 of 20 rows done').waitFor();
  expect(await ended).toBe(130);

  // The other goes on with it; a terminal that wants to, too, is told that it is busy.
  gate = Promise.withResolvers();
  await two.page.getByRole('button', { name: /^Continue · up to \d/ }).click();
  await heading(one.page, /^9 of 20 rows done/).waitFor();
  const options = { cwd: folder.path, env: folder.env };
  expect((await runDossier(['run', 'leads.yaml'], options)).exitCode).toBe(75);
  gate.resolve();
  for (const tab of [one, two]) {
    await heading(tab.page, '20 rows done · 20 found (100%)').waitFor();
    // The rows in view have followed without a touch.
    await expect.poll(() => found(tab)).toBe(rows);
    expect(tab.complaints).toEqual([]);
  }

  // One tab renames the list, and the other follows within 3 seconds, in every view.
  await one.page.getByRole('link', { name: 'Lists' }).click();
  await one.page.getByText('Edit').click();
  await one.page.getByLabel('New name for leads').fill('a/b');
  await one.page.getByRole('button', { name: 'Rename' }).click();
  await one.page.getByRole('alert').getByText('Choose another name.').waitFor();
  await one.page.getByLabel('New name for leads').fill('Leads of May');
  await one.page.getByRole('button', { name: 'Rename' }).click();
  await two.page.locator('.list-name', { hasText: 'Leads of May' }).waitFor({ timeout: 3_000 });
  await heading(two.page, '20 rows done · 20 found (100%)').waitFor();
  expect(two.complaints).toEqual([]);
  await two.page.getByRole('link', { name: 'History' }).click();
  await heading(two.page, /^Leads of May called leads in commands/).waitFor();

  // No call was made twice, and the terminal tells the same run.
  expect(new Set(folder.seen.map(({ path }) => path)).size).toBe(rows);
  expect(folder.seen).toHaveLength(rows);
  const [{ runs, starts }] = JSON.parse(
    await folder.dossier('status', 'Leads of May.yaml', '--json'),
  ).jobs;
  expect(runs).toMatchObject([{ run: 'r1', state: 'finished', rows: { matched: rows } }]);
  const startedBy = (starts as { startedBy: string }[]).map((start) => start.startedBy);
  expect(startedBy.slice(-2)).toEqual(['page', 'script']);
});
