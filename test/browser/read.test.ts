import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

const workbench = sharedWorkbench({});
const at = (name: string) => join(workbench.folder.path, name);
const write = (name: string, content: string | Buffer) => writeFileSync(at(name), content);
const view = (hash: string) => `${workbench.ui.url}#/${hash}`;
const runButton = (page: Page, name: string | RegExp = /^Run/) =>
  page.getByRole('button', { name });

/** A workbook whose title looks like column names, so that its header has to be named. */
function leads(): Buffer {
  const rows = [
    textRow(1, 'Leads of March', 'for sales', 'draft'),
    textRow(2, 'CRM id', 'Website', 'Mail'),
    textRow(3, '0019', 'acme.com.au', '=HYPERLINK(1)'),
    textRow(4, '0020', 'someone@gmail.com', 'a@beta.com.au'),
    textRow(5, '0021', 'n/a', 'b@gamma.com.au'),
  ].join('');
  return makeWorkbook({ sheets: [{ name: 'Leads', rows }] });
}

const chosenIn = (page: Page, column: string) =>
  page.getByRole('combobox', { name: `Use of ${column}`, exact: true });

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
  await using opened = await openPage(workbench.ui.url);
  const { page, complaints, requests } = opened;
  await page.locator('h1', { hasText: 'Drop a list here' }).waitFor();
  // Asked for early: the browser takes a moment to hand its dialog over.
  const choosing = page.waitForEvent('filechooser');
  await tabTo(page, 'Choose a file');
  await page.keyboard.press('Enter');
  const file = { name: '../march.xlsx', mimeType: '', buffer: leads() };
  await (await choosing).setFiles(file);
  await page.locator('h1', { hasText: 'march.xlsx' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/read/march.yaml');

  await tabTo(page, 'Header row');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await expect.poll(() => chosenIn(page, 'Website').count()).toBe(1);
  expect(readFileSync(at('march.yaml'), 'utf8')).toContain('headerRow: 2');
  expect(await chosenIn(page, 'CRM id').inputValue()).toBe('key');

  // Down from the first row's number, then to the cell that is rejected.
  await page.locator('tbody th').first().focus();
  for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key);
  await expect
    .poll(() => page.locator('.grid-frame [role=status]').textContent())
    .toContain('Row 2, Website: The e-mail address belongs to a public mail provider');
  expect(await page.locator('tbody [aria-invalid]').count()).toBe(2);

  const requestsTo = (path: RegExp) => requests.filter((url) => path.test(url)).length;
  await runButton(page, /^Run · up to/).waitFor();
  const plans = requestsTo(/plan\?job=march.yaml$/);
  await chosenIn(page, 'Mail').focus();
  await page.keyboard.type('Any kind');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Find by Mail before Website' }).press('Enter');
  await page.getByText('Companies are found by Mail, then Website').waitFor();
  expect(await page.evaluate(focusedName)).toMatch(/^Companies are found by/);
  await expect
    .poll(() => readFileSync(at('march.yaml'), 'utf8'))
    .toMatch(/column: Mail[\s\S]*column: Website/);
  await page.locator('.read-price .legend', { hasText: 'To look up 3' }).waitFor();
  await runButton(page, 'Run · up to 4 calls, price not set').waitFor();
  await page.getByText('3 rows need 3 calls, plus up to 1 for repeats: at most 4.').waitFor();
  // The page has looked at the folder since, and plans no more. On a slow machine it may have noticed its own change.
  const looks = requestsTo(/folder/);
  await expect.poll(() => requestsTo(/folder/)).toBeGreaterThan(looks + 1);
  expect([2, 3]).toContain(requestsTo(/plan\?job=march.yaml$/) - plans);

  // Run is a few keys away.
  await page.evaluate('document.activeElement.blur()');
  await tabTo(page, 'Skip to Run');
  for (const key of ['Enter', 'Tab']) await page.keyboard.press(key);
  expect(await page.locator(':focus').textContent()).toMatch(/^Run · /);
  expect(new URL(page.url()).hash).toBe('#/read/march.yaml');
  await page.getByRole('link', { name: 'not set; set a price' }).press('Enter');
  await page.getByLabel('Price per company').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

const websites = (rows: number) =>
  `Website\n${Array.from({ length: rows }, (_, at) => `s${at}.com.au`).join('\n')}\n`;

testInBrowser('a large spend asks once more, and the safe answer has the focus', async () => {
  const { folder } = workbench;
  write('output.csv', websites(100));
  const narrow = { width: 390, colorScheme: 'dark' } as const;
  await using opened = await openPage(view('read/output.csv'), narrow);
  const { page } = opened;
  await runButton(page, 'Run · up to 110 calls, price not set').click();
  expect(await page.locator(':focus').textContent()).toBe('Not now');
  await runButton(page, 'Start at unknown cost').waitFor();
  const spilled = await page
    .locator('.read-price button')
    .evaluateAll((all) => all.filter((it) => it.scrollHeight > it.clientHeight));
  expect(spilled).toEqual([]);
  await page.getByText('This may make up to 110 calls, price not set, above your limit').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await runButton(page, 'Run · up to 110 calls, price not set').waitFor();
  expect(folder.seen).toEqual([]);
  // Nothing was chosen, so that the list is as it was.
  expect(existsSync(at('output.yaml'))).toBe(false);

  await page.getByLabel('Search for people at each company found').check();
  await page.getByRole('group', { name: 'Seniority' }).waitFor();
  await page.waitForURL('**/#/read/output.yaml');
  // In quick succession: the second is made before the first is in the job file.
  await page.getByLabel('Manager').check();
  await page.getByLabel('Owner / Founder').check();
  await expect
    .poll(() => readFileSync(at('output.yaml'), 'utf8'))
    .toContain('seniority: [Owner / Founder, C-Suite, Manager]');
  await page.getByText(/up to \d+ for people/).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

testInBrowser('home shows the lists, renames and removes them in two tabs', async () => {
  write('few.csv', 'Website\nacme.com.au\n');
  write('broken.yaml', 'name: broken\ninput:\n  path: march.xlsx\n  shet: x\n');
  const narrow = { width: 390, colorScheme: 'dark' } as const;
  await using one = await openPage(workbench.ui.url, narrow);
  await using two = await openPage(workbench.ui.url);
  const { page } = one;
  await page.locator('.list-card', { hasText: 'input.shet' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await seriousViolations(page)).toEqual([]);

  const card = (tab: Page, title: string) =>
    tab.locator('.list-card').filter({ has: tab.getByRole('heading', { name: title }) });
  await card(two.page, 'few.csv').waitFor();
  expect(await card(page, 'few.csv').getByRole('link').last().textContent()).toBe('Read');
  await card(page, 'few.csv').getByText('Edit').click();
  const name = page.getByLabel('New name for few.csv');
  await name.fill('');
  expect(await page.locator('input:invalid').count()).toBe(1);
  await name.fill('Few leads');
  await card(page, 'few.csv').getByRole('button', { name: 'Rename' }).click();
  await card(two.page, 'Few leads').waitFor();
  await card(page, 'Few leads').getByText('Edit').click();
  await card(page, 'Few leads').getByText('Remove …').click();
  await card(page, 'Few leads')
    .getByRole('button', { name: /^Move to the folder/ })
    .click();
  await card(two.page, 'Few leads').waitFor({ state: 'detached' });
  expect(existsSync(at('removed/few.csv'))).toBe(true);

  const pdf = { name: 'leads.pdf', mimeType: '', buffer: Buffer.from('%PDF-1.7') };
  await page.getByLabel('A list of companies').setInputFiles(pdf);
  await page.getByRole('alert').getByText('leads.pdf is a PDF, not a list').waitFor();
  expect(one.complaints.filter((text) => !text.includes('422'))).toEqual([]);
});

testInBrowser('a budget that does not cover the list says what it allows', async () => {
  const { ui } = workbench;
  write('tight.csv', 'Website\na1.com.au\nb1.com.au\nc1.com.au\n');
  const allow = (perStart: number) =>
    write(
      'tight.yaml',
      `name: tight\ninput: { path: tight.csv }\nbudget: { perStart: ${perStart} }\n`,
    );
  allow(2);
  await using opened = await openPage(view('read/tight.yaml'));
  const { page } = opened;
  await page.getByText('The budget allows 2 of them.').waitFor();
  await page.getByText('The run will stop there, and you can continue it later.').waitFor();
  await runButton(page, /^Run · 2 calls/).waitFor();
  allow(0);
  await page.getByText('The budget allows none of them.').waitFor();
  await page.getByText(/Raise the budget in Settings, or wait/).waitFor();
  const run = runButton(page, 'Run · the budget is spent');
  expect(await run.getAttribute('aria-disabled')).toBe('true');
  await run.click({ force: true });
  expect(await ui.answer('state', { query: { job: 'tight.yaml' } })).toMatchObject({ run: null });
});

testInBrowser('what companies cost stays in sight where people have no price', async () => {
  write('some.csv', websites(100));
  const price = 'service: { price: { company: 0.12, currency: AUD } }';
  write(
    'some.yaml',
    `name: some\ninput: { path: some.csv }\n${price}\npeople: { maxPerCompany: 20 }\n`,
  );
  await using opened = await openPage(view('read/some.yaml'));
  const { page } = opened;
  const known = /AUD 13\.20 \+ up to \d+ people pages, price not set/;
  await runButton(page, known).click();
  // As in a terminal, the calls count where a price is not set.
  await page.getByRole('alertdialog').getByText(known).first().waitFor();
});

testInBrowser('a list that would be held is run once it is said to be right', async () => {
  const { folder, ui } = workbench;
  write(
    'held.yaml',
    "name: held\ninput: { path: held.csv }\nexpect: { rows: '>= 2' }\nbudget: { perStart: 1 }\n",
  );
  write('held.csv', 'Website\nacme.com.au\n');
  await using opened = await openPage(view('read/held.yaml'));
  const { page } = opened;
  await page.getByText('This run needs your approval before its first call').waitFor();
  expect(await runButton(page).count()).toBe(0);
  await page.getByRole('button', { name: /^The list is right: run it · 1 call,/ }).click();
  await page.waitForURL('**/#/result/held.yaml');
  const { ended } = await ui.until('held.yaml', (state) => state.ended !== null);
  expect([ended?.exitCode, folder.seen.length]).toEqual([0, 1]);

  // A machine whose clock was ahead.
  const ledger = new Database(join(folder.path, '.home/dossier/ledger.db'));
  ledger.exec('update start set started_at = started_at + 30 * 86400000');
  ledger.close();
  await page.goto(view('read/held.yaml'));
  await page.reload();
  await page.getByRole('button', { name: /^The clock is right: run it/ }).click();
  await page.waitForURL('**/#/result/held.yaml');
  // The list still needs its approval.
  await ui.until('held.yaml', (state) => state.ended?.reason === 'LIST_HELD');
  await page.goto(view('read/held.yaml'));
  await page.getByRole('button', { name: /^The list is right: run it/ }).waitFor();
});

testInBrowser('a list without identifiers says what it needs, and heals by itself', async () => {
  write('names.csv', 'Company,City\nAcme Pty Ltd,Perth\nBeta Pty Ltd,Hobart\n');
  write('names.yaml', 'name: names\ninput: { path: names.csv }\nidentify: [\n');
  await using opened = await openPage(view('read/names.yaml'));
  const { page } = opened;
  // The job file is broken, then repaired in an editor; then the list gets another column.
  await page.getByRole('alert').getByText('names.yaml').first().waitFor();
  write('names.yaml', 'name: names\ninput: { path: names.csv }\n');
  await page.getByText('No column of this list has any of them.').waitFor();

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
  write('names.csv', 'Company,City\n');
  known.resolve();
  await page.getByText('names.csv has a header and nothing below it').waitFor();
  await page.unroute(/folder/);
  expect(await page.title()).toBe('names · Read · Dossier');
  const columns = Array.from({ length: 30 }, (_, number) => `c${number}`).join();
  write('names.csv', `Company,${columns},Site\nAcme,${columns},acme.com.au\n`);
  await page.getByText('Companies are found by Site').waitFor();
  const heads = page.locator('thead tr').first().locator('th');
  expect(await heads.nth(1).textContent()).toBe('Company');
  expect(await heads.nth(2).textContent()).toBe('Site');
  expect(await heads.count()).toBe(11);
  await page.getByRole('button', { name: 'Show 22 more columns' }).click();
  expect(await heads.count()).toBe(33);

  const notes = { name: 'Notes', rows: textRow(1, 'Please do not edit') };
  const empty = { name: 'Leads', rows: textRow(1, 'Website') };
  write('notes.xlsx', makeWorkbook({ sheets: [notes, empty] }));
  await page.goto(view('read/notes.xlsx'));
  await page.getByText('has nothing below its header: choose another sheet').waitFor();
  const run = runButton(page, /^Run$/);
  await run.waitFor();
  expect(await run.isDisabled()).toBe(true);
  expect(await page.getByRole('alert').count()).toBe(1);
});
