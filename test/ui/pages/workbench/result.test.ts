import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { launchChromium } from '../../../../scripts/launch-chromium.ts';
import { openPage, seriousViolations, testInBrowser } from '../../../support/browser.ts';
import { ensurePages } from '../../../support/built-page.ts';
import { readBack } from '../../../support/read-back.ts';
import { type RunningWorkbench, startWorkbench } from '../../../support/start-workbench.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { serveMadeTable } from './made-table.ts';

const leads = readFileSync(
  join(import.meta.dirname, '../../../../fixtures/leads/leads.csv'),
  'utf8',
);
const hostile = '<img src=x onerror=document.title=1>,larchhaven.com.au\n"=1+1",acme.com.au\n';

const folder = temporaryFolder();
let browser: Browser | undefined;
let workbench: RunningWorkbench;
beforeAll(async () => {
  browser = await launchChromium();
  if (!browser) return;
  await ensurePages();
  const put = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  put('leads.csv', leads);
  put('leads.yaml', 'name: leads\ninput: { path: leads.csv }\nlimits: { rate: 300 }\n');
  put(
    'slow.yaml',
    'name: slow\nledger: slow.db\ninput: { path: leads.csv }\nlimits: { rate: 8 }\n',
  );
  put('hostile.csv', `name,domain\n${hostile}`);
  workbench = await startWorkbench(folder.path);
  for (const job of ['leads.yaml', 'hostile.csv']) {
    await workbench.ask(`run?job=${job}`, { method: 'POST' });
    await workbench.until(job, ({ ended }) => ended !== null);
  }
});
afterAll(async () => {
  await browser?.close();
  await workbench?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const resultOf = (job: string, query = '') => `${workbench.url}#/result/${job}${query}`;
const grid = (page: Page) => page.getByRole('grid', { name: 'Rows' });
const cells = (page: Page) => grid(page).locator('tbody td');
const drawer = (page: Page) => page.locator('.drawer');
/** The text of the cell that the keyboard is at. */
const atCell = (page: Page) =>
  page.evaluate<string | null>(`document.getElementById(
    document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? null`);

testInBrowser(
  'with the keyboard alone a row is searched for, opened, left and sorted',
  async () => {
    await using opened = await openPage(browser, resultOf('leads.yaml'));
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: '204 rows done · 128 found (62.7%)' }).waitFor();
    await cells(page).first().waitFor();

    await page.keyboard.press('/');
    await page.keyboard.insertText('lumenhaven');
    await page.getByText(/^\d{1,2} of 204 rows$/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const number = await atCell(page);
    await page.keyboard.press('Enter');
    await drawer(page)
      .getByRole('heading', { name: `Row ${number}`, exact: true })
      .waitFor();
    await drawer(page).getByRole('heading', { name: 'Looked up' }).waitFor();
    expect(page.url()).toContain(`search=lumenhaven&row=${number}`);

    await page.reload();
    await drawer(page)
      .getByRole('heading', { name: `Row ${number}`, exact: true })
      .waitFor();
    await page.getByText(/^\d{1,2} of 204 rows$/).waitFor();
    await page.goBack();
    await drawer(page).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Clear' }).press('Enter');
    await page.getByText('204 rows', { exact: true }).waitFor();
    await grid(page).focus();
    await page.keyboard.press('PageDown');
    await page.getByText('Rows 101 to 200 of 204').waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Home');
    await vi.waitFor(async () => expect(await atCell(page)).toBe('200'), { timeout: 10_000 });
    // Below the last row of a page comes the next one.
    await page.keyboard.press('ArrowDown');
    await vi.waitFor(async () => expect(await atCell(page)).toBe('201'), { timeout: 10_000 });
    await page.keyboard.press('PageUp');
    await page.keyboard.press('PageUp');
    await page.getByText('Rows 1 to 100 of 204').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const head = page.getByRole('columnheader', { name: 'Company' }).first();
    await vi.waitFor(async () => expect(await head.getAttribute('aria-sort')).toBe('ascending'), {
      timeout: 10_000,
    });
    await page.keyboard.press('Enter');
    await vi.waitFor(async () => expect(await head.getAttribute('aria-sort')).toBe('descending'), {
      timeout: 10_000,
    });
    // A row that a click has opened is closed from the table.
    await page.locator('tbody th').first().click();
    await drawer(page).waitFor();
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  },
);

testInBrowser('filters narrow the table to what they count, and so its download', async () => {
  await using opened = await openPage(browser, resultOf('leads.yaml'));
  const { page } = opened;
  await page.getByRole('checkbox', { name: /^Invalid/ }).check();
  await page.getByText('50 of 204 rows').waitFor();
  await page.getByRole('checkbox', { name: /^Not a domain/ }).check();
  const shown = page.locator('tbody .mark').first();
  await vi.waitFor(async () => expect(await shown.textContent()).toContain('not a domain'), {
    timeout: 10_000,
  });
  expect(page.url()).toContain('status=invalid&reason=not_a_domain');
  await page.getByText('4 of 204 rows', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByRole('radio', { name: 'CSV' }).check();
  const fetching = page.waitForEvent('download');
  await page.locator('.download-form').getByRole('button', { name: 'Download' }).click();
  const file = await fetching;
  expect(file.suggestedFilename()).toBe('leads-part.csv');
  const { cells: lines } = await readBack(readFileSync(await file.path()));
  expect(lines).toHaveLength(4);
  expect(lines.every((line) => line.includes('invalid'))).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByText('204 rows', { exact: true }).waitFor();
});

testInBrowser(
  'columns are chosen, dragged, kept under a name and there in another tab',
  async () => {
    await using opened = await openPage(browser, resultOf('leads.yaml'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('searchbox', { name: 'Search the columns' }).fill('match');
    await page.getByRole('checkbox', { name: 'Match', exact: true }).check();
    await page.getByRole('searchbox', { name: 'Search the columns' }).fill('');
    const item = (label: string) =>
      page.locator('.column-item').filter({ has: page.getByRole('checkbox', { name: label }) });
    await item('Size').first().dragTo(item('Outcome').first());
    const heads = grid(page).locator('thead th');
    await vi.waitFor(async () => expect(await heads.nth(2).textContent()).toBe('Size'), {
      timeout: 10_000,
    });
    await page.getByRole('textbox', { name: 'Name for these columns' }).fill('For sales');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'For sales', pressed: true }).waitFor();
    const { presets: kept } = JSON.parse(
      readFileSync(join(folder.path, 'output/workbench.json'), 'utf8'),
    );
    expect(kept).toMatchObject([{ name: 'own-for-sales', label: 'For sales' }]);
    expect(kept[0].columns).toContain('match');
    expect(kept[0].columns[1]).toBe('company_company_size');

    await using other = await openPage(browser, resultOf('leads.yaml', '?preset=own-for-sales'));
    await cells(other.page).first().waitFor();
    expect(await grid(other.page).locator('thead th').count()).toBe(kept[0].columns.length + 1);
  },
);

testInBrowser(
  'a run is watched in two tabs, stopped in one and gone on with in the other',
  async () => {
    await using one = await openPage(browser, resultOf('slow.yaml'));
    await using two = await openPage(browser, resultOf('slow.yaml'));
    await two.page.getByRole('heading', { name: 'Nothing was looked up yet' }).waitFor();
    await workbench.ask('run?job=slow.yaml', { method: 'POST' });
    await one.page.getByRole('heading', { name: /^\d+ of 204 rows done · \d+ found/ }).waitFor();
    await cells(one.page).first().waitFor();
    await two.page.getByRole('heading', { name: /^\d+ of 204 rows done/ }).waitFor();
    await one.page.getByRole('button', { name: 'Stop' }).click();
    await one.page.getByRole('heading', { name: /then it stops$|^Stopped/ }).waitFor();
    await one.page.getByRole('heading', { name: /^Stopped: \d+ of 204 rows done/ }).waitFor();
    await two.page.getByRole('heading', { name: /^Stopped/ }).waitFor();
    const open = () => two.page.locator('tbody .dot.open').count();
    await two.page.getByRole('button', { name: /^Go on/ }).click();
    const done = one.page.getByRole('heading', { name: '204 rows done · 128 found (62.7%)' });
    await done.waitFor({ timeout: 90_000 });
    // The rows in view have followed without a touch.
    await vi.waitFor(async () => expect(await open()).toBe(0), { timeout: 10_000 });
    expect([...one.complaints, ...two.complaints]).toEqual([]);
  },
);

testInBrowser('axe finds nothing at 390 and 1,440 px, light and dark', async () => {
  const rejects = resultOf('leads.yaml', '?status=invalid');
  for (const width of [1_440, 390]) {
    await using opened = await openPage(browser, rejects, { width });
    const { page } = opened;
    await cells(page).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.evaluate(`location.hash += '&row=2'`);
    await drawer(page).getByText('Your list').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    const drawn = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(drawn).toBeLessThanOrEqual(width);
    // The theme changes nothing but colours.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await seriousViolations(page, ['color-contrast'])).toEqual([]);
    await page.goBack();
    await drawer(page).waitFor({ state: 'detached' });
    expect(await seriousViolations(page, ['color-contrast'])).toEqual([]);
  }
});

testInBrowser('people are the second table, and lead to the row of their company', async () => {
  const job =
    'name: people\nledger: people.db\ninput: { path: leads.csv }\nlimits: { rate: 300 }\n';
  const text = `${job}people: { seniority: [C-Suite], maxPerCompany: 5 }\n`;
  writeFileSync(join(folder.path, 'people.yaml'), text);
  await workbench.ask('run?job=people.yaml', { method: 'POST' });
  await workbench.until('people.yaml', ({ ended }) => ended !== null);
  await using opened = await openPage(browser, resultOf('people.yaml'));
  const { page, complaints } = opened;
  await page.getByRole('button', { name: /^\d+ people$/ }).click();
  const people = page.getByRole('grid', { name: 'People' });
  await people.getByRole('columnheader', { name: 'Seniority' }).waitFor();
  await people.getByText('C-Suite').first().waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(page.url()).toContain('?people=');
  await people.locator('tbody td').first().click();
  await drawer(page).getByRole('heading', { name: 'Looked up' }).waitFor();
  await page.getByRole('button', { name: '204 rows', exact: true }).click();
  await grid(page).getByRole('columnheader', { name: 'People' }).waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser('cells are text, whatever they hold', async () => {
  await using opened = await openPage(browser, resultOf('hostile.csv', '?row=1'));
  const { page, complaints } = opened;
  await drawer(page).getByText('<img src=x').first().waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).toBe('hostile.csv · Result · Dossier');
  expect(complaints).toEqual([]);
});

testInBrowser('a million rows are turned over to the last', async () => {
  await using made = await serveMadeTable(1_000_000);
  await using opened = await openPage(browser, `${made.url}#/result/made`);
  const { page, complaints } = opened;
  await page.getByText('Company 1', { exact: true }).waitFor();
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await pager.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Company 101', { exact: true }).waitFor();
  await pager.getByRole('spinbutton', { name: 'Page' }).fill('10000');
  // What is typed stays when the table is drawn again.
  await page.evaluate(`location.hash += '&preset=short'`);
  await expect.poll(() => page.url()).toContain('preset=short');
  await page.keyboard.press('Enter');
  await page.getByText('Company 1000000', { exact: true }).waitFor();
  await pager.getByText('Rows 999,901 to 1,000,000 of 1,000,000').waitFor();
  expect(await pager.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  expect(page.url()).toContain('page=10000');
  // Another order is shown from its first row.
  await page.getByRole('columnheader', { name: 'Site' }).click();
  await pager.getByText('Rows 1 to 100 of 1,000,000').waitFor();
  expect(await page.locator('tbody tr').count()).toBe(100);
  expect(complaints).toEqual([]);
});
