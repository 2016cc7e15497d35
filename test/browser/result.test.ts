import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { sampleData, sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

const leads = join(import.meta.dirname, '../../fixtures/leads/leads.csv');

const workbench = sharedWorkbench({
  env: sampleData,
  async fill({ write, dossier }) {
    write('leads.csv', readFileSync(leads, 'utf8'));
    const people = 'people: { seniority: [C-Suite], maxPerCompany: 5 }';
    write('leads.yaml', `name: leads\ninput: { path: leads.csv }\n${people}\n`);
    await dossier('run', 'leads.yaml', '--rate', 'none');
  },
});

const result = (query = '') => `${workbench.ui.url}#/result/leads.yaml${query}`;
const grid = (page: Page, name = 'Rows') => page.getByRole('grid', { name });
const drawer = (page: Page) => page.locator('.drawer');
/** The text of the cell that the keyboard is at. */
const atCell = (page: Page) =>
  page.evaluate<string | null>(`document.getElementById(
    document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? null`);

testInBrowser('with the keyboard alone rows are searched, opened, turned and sorted', async () => {
  await using opened = await openPage(result('?size=50'));
  const { page, complaints } = opened;
  await page.getByRole('heading', { name: '204 rows done · 128 found (62.7%)' }).waitFor();
  await grid(page).locator('tbody td').first().waitFor();

  await page.keyboard.press('/');
  await page.keyboard.insertText('lumenhaven');
  await page.getByText(/^\d{1,2} of 204 rows$/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const number = await atCell(page);
  await page.keyboard.press('Enter');
  const head = drawer(page).getByRole('heading', { name: `Row ${number}`, exact: true });
  await head.waitFor();
  await drawer(page).getByRole('heading', { name: 'Looked up' }).waitFor();
  expect(page.url()).toContain(`search=lumenhaven&row=${number}`);
  await page.reload();
  await head.waitFor();
  await page.getByText(/^\d{1,2} of 204 rows$/).waitFor();
  await page.goBack();
  await drawer(page).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Clear' }).press('Enter');
  await page.getByRole('button', { name: '204 rows', exact: true }).waitFor();
  const pager = page.getByRole('navigation', { name: 'Pages' });
  await pager.getByText('Rows 1 to 50 of 204').waitFor();
  // Pages by number and by name are two kinds with one word.
  const pages = page.getByRole('checkbox', { name: /^Network page/ });
  await pages.check();
  await page.getByText('36 of 204 rows', { exact: true }).waitFor();
  await pages.uncheck();
  await grid(page).focus();
  await page.keyboard.press('PageDown');
  await pager.getByText('Rows 51 to 100 of 204').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Home');
  await expect.poll(() => atCell(page)).toBe('100');
  // Below the last row of a page comes the next one.
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => atCell(page)).toBe('101');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await pager.getByText('Rows 1 to 50 of 204').waitFor();

  // What is typed as the page stays when the table is drawn again.
  await pager.getByRole('textbox', { name: 'Page', exact: true }).fill('5');
  await page.evaluate(`location.hash += '&sort=input_website'`);
  const sorted = (by: string) => page.locator(`th[aria-sort=${by}]`).first();
  await sorted('ascending').waitFor();
  await page.keyboard.press('Enter');
  await pager.getByText('Rows 201 to 204 of 204').waitFor();
  expect(await pager.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  // Another order is shown from its first row.
  await grid(page).focus();
  for (const key of ['Control+Home', 'ArrowUp', 'ArrowRight', 'Enter']) {
    await page.keyboard.press(key);
  }
  await sorted('ascending').getByText('Company').waitFor();
  await pager.getByText('Rows 1 to 50 of 204').waitFor();
  await page.keyboard.press('Enter');
  await sorted('descending').getByText('Company').waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser(
  'columns are chosen, dragged, kept under a name and there in another tab',
  async () => {
    await using opened = await openPage(result('?size=50'));
    const { page } = opened;
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('searchbox', { name: 'Search the columns' }).fill('match');
    await page.getByRole('checkbox', { name: 'Match', exact: true }).check();
    await page.getByRole('searchbox', { name: 'Search the columns' }).fill('');
    const item = (label: string) =>
      page.locator('.column-item').filter({ has: page.getByRole('checkbox', { name: label }) });
    await item('Size').first().dragTo(item('Outcome').first());
    const heads = grid(page).locator('thead th');
    await expect.poll(() => heads.nth(2).textContent()).toBe('Size');
    await page.getByRole('textbox', { name: 'Name for these columns' }).fill('For sales');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'For sales', pressed: true }).waitFor();
    const { presets: kept } = JSON.parse(
      readFileSync(join(workbench.folder.path, 'output/workbench.json'), 'utf8'),
    );
    expect(kept).toMatchObject([{ name: 'own-for-sales', label: 'For sales' }]);
    expect(kept[0].columns).toContain('match');
    expect(kept[0].columns[1]).toBe('company_company_size');

    // A new run may add a column in the middle of a drag.
    await item('Size').first().dispatchEvent('dragstart');
    await page.route(/\/columns\?/, async (route) => {
      const response = await route.fetch();
      const { columns, ...rest } = await response.json();
      const added = { ...columns[0], name: 'added', label: 'Added' };
      await route.fulfill({ response, json: { ...rest, columns: [...columns, added] } });
    });
    workbench.folder.write('changed.csv', 'Website\n');
    await page.getByRole('checkbox', { name: 'Added' }).waitFor();
    await item('Outcome').first().dispatchEvent('drop');
    const moved = async () => (await heads.allTextContents()).slice(2, 4);
    await expect.poll(moved).toEqual(['Outcome', 'Size']);

    await using other = await openPage(result('?preset=own-for-sales&size=50'));
    await grid(other.page).locator('tbody td').first().waitFor();
    expect(await grid(other.page).locator('thead th').count()).toBe(kept[0].columns.length + 1);
  },
);

testInBrowser('a narrow and dark page shows rejects, and axe finds nothing', async () => {
  const narrow = { width: 390, colorScheme: 'dark' } as const;
  await using opened = await openPage(result('?status=invalid&size=50'), narrow);
  const { page } = opened;
  await page.locator('tbody th').first().click();
  await drawer(page).getByText('Your list').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  const nav = `document.querySelector('.band nav')`;
  expect(await page.evaluate(`${nav}.scrollWidth - ${nav}.clientWidth`)).toBe(0);
  await page.keyboard.press('Escape');
  await drawer(page).waitFor({ state: 'detached' });
  expect(await seriousViolations(page, ['color-contrast'])).toEqual([]);
  const filters = page.getByRole('dialog', { name: 'Filters' });
  await page.getByRole('button', { name: 'Filter (1)' }).click();
  await filters.getByRole('button', { name: 'Close' }).click();
  await filters.waitFor({ state: 'detached' });
});

testInBrowser('the coloured button of each view is the next step', async () => {
  const { folder, ui } = workbench;
  const unknown = Array.from({ length: 11 }, (_, at) => `unknown-${at}.com.au`);
  folder.write('fresh.csv', ['Website', 'n/a', ...unknown].join('\n'));
  await using opened = await openPage(ui.url);
  const { page } = opened;
  const next = (words: string) =>
    expect
      .poll(() => page.locator('.primary').allInnerTexts())
      .toEqual([expect.stringMatching(words)]);
  const go = (hash: string) => page.goto(`${ui.url}#/${hash}`);
  const press = () => page.locator('.primary').click();
  await next('^Choose a file$');
  await go('result/fresh.csv');
  await next('^See what a run costs$');
  await press();
  await next('^Try ten rows · .*calls$');
  await press();
  await next('^Run the whole list …$');
  await press();
  await next('^Run · .*calls$');
  await press();
  await next('^Fix 12 rows$');
  await page.getByRole('button', { name: 'People', exact: true }).click();
  await page.getByText('In Read, tick “Search for people at each company found”').waitFor();
  await next('^Open Read$');
  await go('result/leads.yaml?people=');
  await next('^Download$');
  await press();
  await page.getByRole('dialog').getByText('the row number, the company id').waitFor();
  await next('^Download$');
  // No step is recommended before the rows to fix are counted.
  const counting = Promise.withResolvers<void>();
  await page.route(/\/api\/facets/, (route) => counting.promise.then(() => route.continue()));
  await go('result/fresh.yaml');
  await grid(page).getByText('unknown-0.com.au').first().waitFor();
  expect(await page.locator('.primary').allInnerTexts()).toEqual([]);
  counting.resolve();
  await next('^Fix');
  await press();
  await next('^Done$');
  await page.locator('.fixable').first().click();
  await page.keyboard.type('hollinmere-college-sample.com.au');
  await page.keyboard.press('Enter');
  await next('^Look up again: 1 row · ');
  await go('result/fresh.yaml/r2');
  await page.getByText('Companies suppressed since run r2 are hidden here').waitFor();
  await go('settings/fresh.yaml');
  await next('^Back to the list$');
});

testInBrowser('people are the second table, and lead to the row of their company', async () => {
  await using opened = await openPage(result('?size=50'));
  const { page, complaints } = opened;
  await page.getByRole('button', { name: /^\d+ people$/ }).click();
  const people = grid(page, 'People');
  await people.getByRole('columnheader', { name: 'Seniority' }).waitFor();
  await people.getByText('C-Suite').first().waitFor();
  expect(page.url()).toContain('people=');
  await people.locator('tbody td').first().click();
  await drawer(page).getByRole('heading', { name: 'Looked up' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: '204 rows', exact: true }).click();
  await grid(page).getByRole('columnheader', { name: 'People' }).waitFor();
  // A run that the address names is shown from the start.
  await using named = await openPage(result('/r1'));
  await grid(named.page).getByRole('columnheader', { name: 'People' }).waitFor();
  await page.goto(`${workbench.ui.url}#/read/leads.yaml`);
  await page.getByLabel('Manager').check();
  await page
    .getByText(
      /^All companies are known \(\d+ already answered, \d+ that repeat them\), plus up to/,
    )
    .waitFor();
  expect(complaints).toEqual([]);

  // A page without its server says so above the result.
  await page.route(/\/api\//, (route) => route.abort());
  const alert = page.getByRole('alert');
  await alert.getByText('Dossier is not responding').waitFor();
  expect((await alert.boundingBox())?.height).toBeLessThan(100);
  expect(await alert.innerText()).not.toContain('`');
});
