import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openPage, testInBrowser, type WatchedPage } from '../support/browser.ts';
import { openHostileServer } from '../support/hostile-server.ts';
import { type OpenUi, openUiHere } from '../support/open-ui.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Whoever is asked here was reached by something that a list, a name or an answer holds. */
const elsewhere = createServer((request, response) => {
  reached.push(request.url ?? '');
  response.end();
});
const reached: string[] = [];
let trap = '';
/** What the service says in place of its markup. */
let facts: object = {};

const folder = temporaryFolder();
/** What is dropped lies in a folder of its own, so that a name that climbs out of it is seen. */
const workFolder = join(folder.path, 'work');
let service: Awaited<ReturnType<typeof openHostileServer>>;
let ui: OpenUi;

beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  trap = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  // The service is as hostile as the list: every text of its company is markup.
  service = await openHostileServer(({ path }) => {
    const domain = new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '';
    const texts = { name: markup(), about: markup(), linkedin: `javascript:fetch('${trap}')` };
    return { body: JSON.stringify({ id: `c_${domain}`, fqdn: domain, ...texts, ...facts }) };
  });
  mkdirSync(workFolder);
  ui = await openUiHere(workFolder, { DOSSIER_URL: service.url, DOSSIER_API_KEY: 'k_test' });
});

afterAll(async () => {
  await ui?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  elsewhere.closeAllConnections();
  elsewhere.close();
  folder[Symbol.dispose]();
});

const markup = () =>
  `"><img src="${trap}/img" onerror="globalThis.pwned=1"><script>globalThis.pwned=1</script>` +
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><a href="javascript:pwned=1">x</a>`;

/** A list in which every cell tries something. */
function hostileList(): string {
  const cells = [
    () => markup(),
    () => `=HYPERLINK("${trap}/formula","x")`,
    () => '@SUM(1)*cmd|/c calc!A0',
    () => '../../../etc/passwd',
    () => 'x'.repeat(200_000),
    () => '\u202Egnp.exe\u0007\u001B[2J{{7*7}}',
  ];
  const rows = cells.map((cell, at) => [`c${at}.com.au`, cell(), cell()]);
  const header = ['Website', markup(), '__proto__'];
  return [header, ...rows].map((row) => row.map(quoted).join(',')).join('\n');
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

const name = `../../<img src=x onerror=pwned=1>&#x2F;"'\u202E leads.csv`;

/** What the page did that nobody asked for. */
async function harm({ page, complaints, requests }: WatchedPage): Promise<unknown> {
  const { origin } = new URL(ui.url);
  return {
    ran: await page.evaluate('globalThis.pwned ?? null'),
    markup: await page
      .locator('main img, main iframe, main script, main object, main embed')
      .count(),
    links: await page.locator('a[href^="javascript:" i], main a[href^="data:"]').count(),
    elsewhere: [...reached, ...requests.filter((url) => !url.startsWith(origin))],
    complaints,
  };
}
const none = { ran: null, markup: 0, links: 0, elsewhere: [], complaints: [] };

/** Opens a view, and fails on any dialog: only a script opens one. */
async function openView(hash: string): Promise<WatchedPage & AsyncDisposable> {
  const opened = await openPage(`${ui.url}${hash}`);
  opened.page.on('dialog', (dialog) => {
    opened.complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return opened;
}

testInBrowser('a hostile list is only text in every view, and reaches nobody', async () => {
  await using home = await openView('');
  await home.page.getByRole('button', { name: 'Choose a file' }).waitFor();
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(hostileList()) };
  await home.page.getByLabel('A list of companies').setInputFiles(file);
  await home.page.getByRole('button', { name: 'Run · up to 7 calls' }).waitFor();
  expect(await harm(home)).toEqual(none);
  const [, job = ''] = new URL(home.page.url()).hash.split('#/read/').map(decodeURIComponent);
  // The name was a path out of the folder: the list and its job lie within.
  expect(readdirSync(folder.path)).toEqual(['work']);
  expect(job).not.toMatch(/[/\\<>]/);

  await home.page.getByRole('button', { name: 'Run · up to 7 calls' }).click();
  await home.page.getByRole('heading', { name: '6 rows done · 6 found (100%)' }).waitFor();
  await grid(home.page).locator('tbody td').first().waitFor();
  expect(await harm(home)).toEqual(none);

  // A row with its company and every column.
  await home.page.evaluate(`location.hash += '?row=1'`);
  const drawer = home.page.locator('.drawer');
  await drawer.getByRole('heading', { name: 'Looked up' }).waitFor();
  expect(await harm(home)).toEqual(none);
  await home.page.keyboard.press('Escape');
  await home.page.keyboard.press('/');
  await home.page.keyboard.type('<script>');
  await home.page.waitForURL(/search=/);
  await home.page.getByRole('button', { name: 'Columns' }).click();
  await home.page.getByRole('dialog').getByText('__proto__').waitFor();
  expect(await harm(home)).toEqual(none);

  await using history = await openView('#/history');
  await history.page.getByRole('heading', { name: 'History', exact: true }).waitFor();
  expect(await harm(history)).toEqual(none);

  await using lists = await openView('');
  await lists.page.locator('.list-card').first().waitFor();
  expect(await harm(lists)).toEqual(none);
  expect(readdirSync(folder.path)).toEqual(['work']);
});

testInBrowser('a list of 2,000 columns is read, run and looked through', async () => {
  const columns = Array.from({ length: 2_000 }, (_, at) => `column ${at}`);
  const rows = ['a', 'b'].map((row) => [`wide-${row}.com.au`, ...columns]);
  const text = [['Website', ...columns], ...rows].map((row) => row.join(',')).join('\n');
  writeFileSync(join(workFolder, 'wide.csv'), text);
  await using opened = await openView('#/read/wide.csv');
  const { page } = opened;
  await page.getByText('1,701 more columns are read but not shown.').waitFor();
  await page.getByRole('button', { name: 'Run · up to 3 calls' }).click();
  await page.getByRole('heading', { name: '2 rows done · 2 found (100%)' }).waitFor();
  await grid(page).locator('tbody td').first().waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'All columns' }).click();
  await page.getByRole('searchbox', { name: 'Search the columns' }).fill('column 12');
  await page.getByRole('checkbox', { name: 'column 12', exact: true }).click();
  await page.keyboard.press('Escape');
  await grid(page).focus();
  await page.keyboard.press('Control+End');
  // However wide the list is, a page shows its first columns.
  await expect.poll(() => grid(page).locator('thead th').count()).toBe(200);
  await expect.poll(() => grid(page).locator('tbody td').count()).toBe(398);
  expect(await harm(opened)).toEqual(none);
});

testInBrowser(
  'a name in Hebrew, direction marks and stacked accents move nothing beside them',
  async () => {
    const accents = 'Z\u0301\u0302\u0303'.repeat(40);
    const header = `Name,Website,\u202Eבעלים${accents}`;
    writeFileSync(join(workFolder, 'hebrew.csv'), `${header}\nחברת הדוגמה,h1.com.au,${accents}\n`);
    const job = 'name: hebrew\ninput: { path: hebrew.csv }\nreuse: { companies: 0s }\n';
    writeFileSync(join(workFolder, 'hebrew.yaml'), job);
    const runs: string[] = [];
    for (const employees of [100, 900]) {
      facts = { name: 'חברת הדוגמה בע"מ', employee_count: employees };
      await ui.ask('run', { method: 'POST', query: { job: 'hebrew.yaml' }, body: {} });
      const state = await ui.until('hebrew.yaml', ({ isRunning }) => !isRunning);
      expect(state.run).toMatchObject({ state: 'finished', rows: { matched: 1 } });
      runs.push(state.run?.run ?? '');
    }
    await using opened = await openView('#/history/hebrew.yaml');
    const { page } = opened;
    for (const run of runs) await page.getByLabel(`Compare ${run}`).check();
    const [was, is] = [
      page.locator('s', { hasText: '100' }),
      page.locator('b', { hasText: '900' }),
    ];
    const [left, right] = [await was.boundingBox(), await is.boundingBox()];
    expect(left?.x).toBeLessThan(right?.x ?? 0);

    // No text paints outside its own line.
    await page.evaluate(`location.hash = '#/read/hebrew.yaml'`);
    await page.getByRole('button', { name: /^Run · up to/ }).waitFor();
    const loose = await page.evaluate<string[]>(`[...document.querySelectorAll('bdi')]
    .filter((one) => /\\p{M}{3}/u.test(one.textContent))
    .map((one) => one.parentElement.closest('th, td, p, li, dd, dt, h3'))
    .filter((one) => getComputedStyle(one).overflowY === 'visible').map((one) => one.outerHTML)`);
    expect(loose).toEqual([]);
  },
);

const grid = (page: Page) => page.getByRole('grid', { name: 'Rows' });
