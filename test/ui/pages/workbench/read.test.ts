import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchChromium } from '../../../../scripts/launch-chromium.ts';
import type { JobState } from '../../../../src/ui/workbench/api.ts';
import { openPage, seriousViolations, testInBrowser } from '../../../support/browser.ts';
import { makeWorkbook, textRow } from '../../../support/make-workbook.ts';
import { type OpenUi, openUi } from '../../../support/open-ui.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A browser on a crowded machine takes its time. */
const patient = { timeout: 30_000 };
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
let browser: Browser | undefined;
let ui: OpenUi;

beforeAll(async () => {
  browser = await launchChromium();
  if (!browser) return;
  ui = await openUi(folder.path, {
    DOSSIER_URL: 'https://service.example/v1',
    DOSSIER_API_KEY: 'k',
  });
});

afterAll(async () => {
  await browser?.close();
  await ui?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const hostile = '<img src=x onerror="globalThis.pwned=1">';

/** A workbook whose title looks like column names, so that its header has to be named. */
function leads(): Buffer {
  const rows = [
    textRow(1, 'Leads of March', 'for sales', 'draft'),
    textRow(2, 'CRM id', 'Website', 'Mail'),
    textRow(3, '0019', 'acme.com.au', '=HYPERLINK(1)'),
    textRow(4, '0020', 'someone@gmail.com', 'a@beta.com.au'),
    textRow(5, '0021', hostile.replaceAll('<', '&lt;'), 'b@gamma.com.au'),
  ].join('');
  return makeWorkbook({ sheets: [{ name: 'Leads', rows }] });
}

const chosenIn = (page: Page, column: string) =>
  page.getByRole('combobox', { name: `What ${column} is`, exact: true });

const focusedName = `(({ tagName, ariaLabel, labels, textContent }) =>
  tagName === 'BODY' ? '' : (ariaLabel ?? labels?.[0]?.textContent ?? textContent)
)(document.activeElement)`;

/** Presses Tab until the focus is on something of this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 60; press += 1) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(focusedName)).includes(name)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

testInBrowser('a list is chosen, corrected and priced with the keyboard alone', async () => {
  await using opened = await openPage(browser, ui.url, { width: 1_440 });
  const { page } = opened;
  await page.locator('h1', { hasText: 'Drop a list here' }).waitFor();
  // Asked for early: the browser takes a moment to hand its dialog over.
  const choosing = page.waitForEvent('filechooser', patient);
  await tabTo(page, 'Choose a file');
  await page.keyboard.press('Enter');
  const file = { name: '../march.xlsx', mimeType: '', buffer: leads() };
  await (await choosing).setFiles(file);
  await page.locator('h1', { hasText: 'march.xlsx' }).waitFor(patient);
  const price = page.locator('.read-price');
  expect(new URL(page.url()).hash).toBe('#/read/march.yaml');

  await tabTo(page, 'Header in row');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await expect.poll(() => chosenIn(page, 'Website').count(), patient).toBe(1);
  expect(readFileSync(at('march.yaml'), 'utf8')).toContain('headerRow: 2');
  expect(await chosenIn(page, 'Website').inputValue()).toBe('identifier fqdn');
  expect(await chosenIn(page, 'CRM id').inputValue()).toBe('key');

  // Down from the first row's number, then to the cell that is rejected.
  await page.locator('tbody th').first().focus();
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await expect
    .poll(() => page.locator('.grid-frame [role=status]').textContent(), patient)
    .toContain('Row 2, Website: The address is with a mail provider for everyone');
  expect(await page.locator('tbody [aria-invalid]').count()).toBe(3);

  const asked = (path: RegExp) => opened.requests.filter((url) => path.test(url)).length;
  await price.getByRole('button', { name: /^Run · up to/ }).waitFor(patient);
  const plans = asked(/plan\?job=march.yaml$/);
  await chosenIn(page, 'Mail').focus();
  await page.keyboard.type('Any kind');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Find by Mail before Website' }).press('Enter', patient);
  await page.getByText('Companies are found by Mail, then Website').waitFor(patient);
  await expect
    .poll(() => readFileSync(at('march.yaml'), 'utf8'), patient)
    .toMatch(/column: Mail[\s\S]*column: Website/);

  await expect
    .poll(() => price.locator('.legend').textContent(), patient)
    .toContain('To look up 3');
  await expect
    .poll(() => price.getByRole('button', { name: /^Run/ }).textContent(), patient)
    .toBe('Run · up to 4 lookups, price not set');
  // The page has looked at the folder since, and has counted each of the two changes once.
  const looks = asked(/folder/);
  await expect.poll(() => asked(/folder/), patient).toBeGreaterThan(looks + 1);
  expect(asked(/plan\?job=march.yaml$/)).toBe(plans + 2);
  await page.getByRole('link', { name: 'not set: set it' }).press('Enter');
  await page.getByLabel('Price of a company').fill('0.12');
  await page.keyboard.press('Enter');
  await page.getByText('Saved in march.yaml.').waitFor(patient);
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Back to the list' }).press('Enter');
  await expect
    .poll(() => price.getByRole('button', { name: /^Run/ }).textContent(), patient)
    .toBe('Run · up to AUD 0.48');
  await price.getByRole('button', { name: 'Try ten rows · up to AUD 0.48' }).waitFor(patient);
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  expect(opened.complaints).toEqual([]);
});

testInBrowser('a large spend asks once more, and the safe answer has the focus', async () => {
  writeFileSync(at('output.csv'), 'Website\nacme.com.au\nbeta.com.au\n');
  await ui.ask('settings', { method: 'PUT', body: { confirmAbove: { calls: 1, money: 0.1 } } });
  await using opened = await openPage(browser, `${ui.url}#/read/output.csv`, {
    width: 390,
    colorScheme: 'dark',
  });
  const { page } = opened;
  await page.getByRole('button', { name: 'Run · up to 3 lookups, price not set' }).click(patient);
  expect(await page.locator(':focus').textContent()).toBe('Not now');
  expect(
    await page.getByRole('button', { name: 'Make up to 3 lookups, price not set' }).count(),
  ).toBe(1);
  expect(await seriousViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Run · up to 3 lookups, price not set' }).waitFor(patient);
  expect(existsSync(at('output/ledger.db'))).toBe(false);
  // Nothing was chosen, so that the list is as it was.
  expect(existsSync(at('output.yaml'))).toBe(false);

  await page.getByLabel('People of each company found').check();
  await page.getByRole('group', { name: 'Seniority' }).waitFor(patient);
  await page.waitForURL('**/#/read/output.yaml', patient);
  // In quick succession: the second is made before the first is in the job file.
  await page.getByLabel('Manager').check();
  await page.getByLabel('Owner / Founder').check();
  await expect
    .poll(() => readFileSync(at('output.yaml'), 'utf8'), patient)
    .toContain('seniority: [Owner / Founder, C-Suite, Manager]');
  await page.getByText('People searches among them').waitFor(patient);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

testInBrowser(
  'home shows what the folder has, at any width, and what is wrong with a file',
  async () => {
    writeFileSync(at('broken.yaml'), 'name: broken\ninput:\n  path: march.xlsx\n  shet: x\n');
    await using opened = await openPage(browser, ui.url, { width: 390 });
    const { page } = opened;
    const cards = page.locator('.list-card');
    await cards.filter({ hasText: 'input.shet' }).waitFor(patient);
    expect(
      await cards.filter({ hasText: 'march.xlsx' }).getByRole('link').last().textContent(),
    ).toBe('Read');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await seriousViolations(page)).toEqual([]);

    const data = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File(['%PDF-1.7'], 'leads.pdf'));
    return carried;
  })()`);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: data });
    await page.getByRole('alert').getByText('leads.pdf is a PDF, not a list').waitFor(patient);
    expect(opened.complaints.filter((text) => !text.includes('422'))).toEqual([]);
  },
);

testInBrowser(
  'ten rows are tried, the list is run, and one that would be held is run once it is said to be right',
  async () => {
    using own = temporaryFolder();
    const list = (rows: readonly string[]) =>
      writeFileSync(join(own.path, 'leads.csv'), ['Website', ...rows, ''].join('\n'));
    list(['hollinmere-college-sample.com.au', 'x']);
    await using sample = await openUi(own.path);
    const state = async () =>
      (await sample.ask<JobState>('state', { query: { job: 'leads.yaml' } })).body;
    const ended = async (run: string) => {
      await expect
        .poll(async () => {
          const { ended: end, run: newest } = await state();
          return `${newest?.run} ${end?.exitCode}`;
        }, patient)
        .toBe(`${run} 0`);
    };
    await using opened = await openPage(browser, `${sample.url}#/read/leads.csv`);
    const { page } = opened;
    await page.getByText('free, sample data').waitFor(patient);
    await page.getByRole('button', { name: 'Try ten rows · 1 lookup' }).click(patient);
    await page.waitForURL('**/#/result/leads.yaml', patient);
    await ended('r1');
    expect((await state()).run?.rows).toMatchObject({ total: 2, invalid: 1 });
    expect(existsSync(join(own.path, 'output/leads/try/companies.csv'))).toBe(true);

    await page.getByRole('link', { name: 'Run the whole list …' }).click();
    await page.getByRole('button', { name: 'Run · 0 lookups' }).click(patient);
    await ended('r2');
    list([]);
    await page.getByRole('link', { name: 'Read' }).click();
    await page.getByText('This list would be held before its first lookup').waitFor(patient);
    expect(await page.getByRole('button', { name: /^Run/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'The list is right: run it · 0 lookups' }).click();
    await page.waitForURL('**/#/result/leads.yaml', patient);
    await ended('r3');
  },
);

testInBrowser(
  'a list without identifiers says what it needs, and heals when it has them',
  async () => {
    const names = 'Company,City\nAcme Pty Ltd,Perth\nBeta Pty Ltd,Hobart\n';
    writeFileSync(at('names.csv'), names);
    writeFileSync(at('names.yaml'), 'name: names\ninput: { path: names.csv }\nidentify: [\n');
    await using opened = await openPage(browser, `${ui.url}#/read/names.yaml`);
    const { page } = opened;
    // The job file is broken, then repaired in an editor; then the list gets another column.
    await page.getByRole('alert').getByText('names.yaml').first().waitFor(patient);
    writeFileSync(at('names.yaml'), 'name: names\ninput: { path: names.csv }\n');
    await page.getByText('This list has none of them.').waitFor(patient);

    // What changes before the page first knows the folder is not missed.
    const known = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(/folder/, async (route) => {
      held.resolve();
      await known.promise;
      await route.continue();
    });
    await page.reload();
    await held.promise;
    writeFileSync(at('names.csv'), 'Company,City\n');
    known.resolve();
    await page.getByText('names.csv has a header and nothing below it').waitFor(patient);
    await page.unroute(/folder/);
    expect(await page.title()).toBe('names · Read · Dossier');
    const columns = Array.from({ length: 30 }, (_, number) => `c${number}`);
    const wide = [
      ['Company', ...columns, 'Site'],
      ['Acme', ...columns, 'acme.com.au'],
    ];
    writeFileSync(at('names.csv'), wide.map((row) => row.join(',')).join('\n'));
    await page.getByText('Companies are found by Site').waitFor(patient);
    const heads = page.locator('thead tr').first().locator('th');
    expect(await heads.nth(1).textContent()).toBe('Site');
    expect(await heads.count()).toBe(11);
    await page.getByRole('button', { name: 'Show 22 more columns' }).click();
    expect(await heads.count()).toBe(33);

    const notes = { name: 'Notes', rows: textRow(1, 'Please do not edit') };
    const empty = { name: 'Leads', rows: textRow(1, 'Website') };
    writeFileSync(at('notes.xlsx'), makeWorkbook({ sheets: [notes, empty] }));
    await page.goto(`${ui.url}#/read/notes.xlsx`);
    await page.getByText('has nothing below its header: choose another sheet').waitFor(patient);
    await page.getByRole('alert').getByText('has no rows below its header').waitFor(patient);
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
  },
);

testInBrowser('Run is a few keys away, and a list is renamed and removed in two tabs', async () => {
  writeFileSync(at('few.csv'), 'Website\nacme.com.au\n');
  await using opened = await openPage(browser, `${ui.url}#/read/few.csv`);
  const { page } = opened;
  await page.getByRole('button', { name: /^Run · up to/ }).waitFor(patient);
  await page.evaluate('document.activeElement.blur()');
  await tabTo(page, 'Skip to Run');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').textContent()).toMatch(/^Run · /);
  expect(new URL(page.url()).hash).toBe('#/read/few.csv');

  await using one = await openPage(browser, ui.url);
  await using two = await openPage(browser, ui.url);
  const card = (tab: Page, title: string) =>
    tab.locator('.list-card').filter({ has: tab.getByRole('heading', { name: title }) });
  await card(two.page, 'few.csv').waitFor(patient);
  await card(one.page, 'few.csv').getByText('Edit').click(patient);
  await one.page.getByLabel('New name of few.csv').fill('Few leads');
  await card(one.page, 'few.csv').getByRole('button', { name: 'Rename' }).click();
  await card(two.page, 'Few leads').waitFor(patient);
  await card(one.page, 'Few leads').getByText('Edit').click(patient);
  await card(one.page, 'Few leads').getByRole('button', { name: 'Remove' }).click();
  await card(two.page, 'Few leads').waitFor({ ...patient, state: 'detached' });
  expect(existsSync(at('removed/few.csv'))).toBe(true);
});
