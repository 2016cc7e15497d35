import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { readBack } from '../support/read-back.ts';
import { sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

/** Answers from the fifteenth on wait until the run is stopped. */
const stopped = Promise.withResolvers<void>();
const workbench = sharedWorkbench({
  async react(_, index) {
    if (index >= 14) await stopped.promise;
    return undefined;
  },
});

const good = Array.from({ length: 32 }, (_, at) => `lead-${at + 1}.com.au`);
const unknown = ['unknown-1.com.au', 'unknown-2.com.au'];
const rejects = [
  { is: 'fixed-1,com.au', fixed: 'fixed-1.com.au' },
  { is: 'someone@gmail.com', fixed: 'someone@fixed-2.com.au' },
  { is: '5.79618E+10', fixed: 'fixed-3.com.au' },
];
const websites = [...good, ...unknown, ...rejects.map(({ is }) => is)];
const all = websites.length;

/** A workbook whose title looks like names of columns, so that the user has to name the header. */
function leads(): Buffer {
  const rows = websites.map((website, at) =>
    textRow(at + 3, `00${at + 100}`, website, `=1+${at}`, at % 2 === 0 ? '11-50' : '007'),
  );
  const sheet = [
    textRow(1, 'Leads of March', 'for sales', 'draft', 'v2'),
    textRow(2, 'CRM id', 'Website', 'Note', 'Size'),
    ...rows,
  ];
  return makeWorkbook({ sheets: [{ name: 'Leads', rows: sheet.join('') }] });
}

/** Drops a file onto the page, as a hand does with the mouse. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    const data = Uint8Array.from(atob('${bytes.toString('base64')}'), (sign) => sign.charCodeAt(0));
    carried.items.add(new File([data], '${name}'));
    return carried;
  })()`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer });
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

testInBrowser('a list becomes data in the page, from the drop to the download', async () => {
  const { folder, ui } = workbench;
  await using opened = await openPage(ui.url, { width: 1_440 });
  const { page, complaints } = opened;
  const isAccessible = async () => expect(await seriousViolations(page)).toEqual([]);

  // A list is dropped, and its header row corrected.
  await heading(page, 'Drop a list here').waitFor();
  await isAccessible();
  await drop(page, 'march.xlsx', leads());
  await heading(page, 'march.xlsx').waitFor();
  await typeInto(page, 'Header row', '2');
  const website = page.getByRole('combobox', { name: 'Use of Website', exact: true });
  await expect.poll(() => website.inputValue()).toBe('identifier fqdn');

  // The price follows what is chosen.
  await button(page, 'Run · up to 38 calls, price not set').waitFor();
  await page.getByRole('link', { name: 'not set; set a price' }).press('Enter');
  await typeInto(page, 'Price per company', '0.12');
  await page.getByText('Saved in march.yaml.').waitFor();
  await typeInto(page, 'Price per company', '-5');
  await page.getByText('Saved in march.yaml.').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Back to the list' }).press('Enter');
  await button(page, 'Run · up to AUD 4.56').waitFor();
  await page.getByText('about AUD 4.08, at most AUD 4.56').waitFor();
  await page.getByText('AUD 0.12 a company, also if none is found').waitFor();
  const { host } = new URL(folder.env.DOSSIER_URL ?? '');
  await page.getByText(host, { exact: true }).waitFor();
  await isAccessible();

  // Ten rows are tried.
  await button(page, /^Try ten rows · .*AUD/).press('Enter');
  await heading(page, '10 rows done · 10 found (100%)').waitFor();
  await page.getByText('Only the first 10 rows.').waitFor();
  expect(folder.seen).toHaveLength(10);

  // The whole list is run, stopped and gone on with, each at a confirmed price. What was answered is not asked again.
  const query = { job: 'march.yaml' };
  await ui.ask('job', { method: 'PATCH', query, body: { confirmAbove: 0 } });
  await Promise.all([
    page.waitForResponse((response) => response.url().includes('limit=10')),
    page.getByRole('link', { name: 'Run the whole list …' }).press('Enter'),
  ]);
  await button(page, 'Run · up to AUD 3.24').waitFor();
  expect(await button(page, /^Try ten rows/).count()).toBe(0);
  await button(page, 'Run · up to AUD 3.24').press('Enter');
  await button(page, 'Spend up to AUD 3.24').press('Enter');
  await heading(page, /^17 of 37 rows done/).waitFor();
  await button(page, 'Stop').press('Enter');
  await heading(page, /then the run stops$/).waitFor();
  stopped.resolve();
  await heading(page, /^Stopped: \d+ of 37 rows done/).waitFor();
  await button(page, /^Continue · up to AUD \d/).press('Enter');
  await isAccessible();
  await button(page, /^Spend up to AUD \d/).press('Enter');
  await heading(page, `${all} rows done · 32 found (86.5%)`).waitFor();
  expect(folder.seen).toHaveLength(34);

  // Rejected cells are fixed where they stand, and only their rows are looked up.
  await page.getByRole('checkbox', { name: /^Invalid/ }).press('Space');
  await button(page, 'Fix 3 rows').press('Enter');
  await page.getByText(`3 of ${all} rows`, { exact: true }).waitFor();
  // The keyboard begins at the first cell to fix.
  await expect.poll(() => page.evaluate(cellText)).toContain(rejects[0]?.is);
  for (const [at, { is, fixed }] of rejects.entries()) {
    await goToCell(page, { down: at, holds: is });
    await fixHere(page, fixed);
    await page.getByText(`${at + 1} ${at === 0 ? 'cell' : 'cells'} corrected`).waitFor();
  }
  await button(page, 'Look up again: 3 rows · up to AUD 0.48').press('Enter');
  await button(page, 'Spend up to AUD 0.48').press('Enter');
  await heading(page, `${all} rows done · 35 found (94.6%)`).waitFor();
  // The table stays where it was, with what came of them.
  await expect.poll(() => page.locator('tbody .dot.matched').count()).toBe(3);
  await page.getByText('3 corrected rows looked up: 3 found.').waitFor();
  await button(page, 'Done').press('Enter');
  expect(folder.seen).toHaveLength(37);

  // What is filtered is downloaded, and is what the command line exports.
  await button(page, 'Clear').press('Enter');
  await page.getByRole('checkbox', { name: /^Found/ }).press('Space');
  await page.getByText(`35 of ${all} rows`, { exact: true }).waitFor();
  await button(page, 'Columns').press('Enter');
  await button(page, 'All columns').press('Enter');
  await page.keyboard.press('Escape');
  await button(page, 'Download').first().press('Enter');
  const form = page.locator('.download-form');
  await isAccessible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('button', { name: 'Download' }).press('Enter'),
  ]);
  const found = await readBack(readFileSync(await download.path()), { fileName: 'found.xlsx' });
  const exported = await exportedRows();
  expect(found.columns.slice(0, 5)).toEqual(['Row', 'CRM id', 'Website', 'Note', 'Size']);
  expect(found.columns).toHaveLength(exported.columns.length);
  const status = exported.columns.indexOf('status');
  const matched = exported.cells.filter((cells) => cells[status] === 'matched');
  expect(found.cells.map((cells) => cells.slice(1, 5))).toEqual(
    matched.map((cells) => cells.slice(0, 4)),
  );
  expect(found.cells.map(([, id]) => id)).toContain('00100');

  // The trial run was paid for, too.
  await page.goto(`${ui.url}#/history`);
  await page.getByText('Spent in all 3 runs: AUD 4.44').waitFor();
  await page.getByRole('link', { name: 'Lists', exact: true }).press('Enter');
  await page.getByText('AUD 4.44 in 3 runs').waitFor();
  expect(complaints).toEqual([]);

  // An old link says what is missing.
  await page.goto(`${ui.url}#/result/gone.yaml`);
  await page.getByText('gone.yaml is not a job or list in this folder').waitFor();
});

/** Types into a field in place of what it holds. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).press('Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** The text of the cell that the keyboard is at. */
const cellText = `document.getElementById(
  document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent ?? ''`;

/** Moves to a cell of the table: so many rows down, then along the row. */
async function goToCell(page: Page, { down, holds }: { down: number; holds: string }) {
  await page.getByRole('grid', { name: 'Rows' }).focus();
  await page.keyboard.press('Control+Home');
  for (let row = 0; row < down; row += 1) await page.keyboard.press('ArrowDown');
  for (let column = 0; column < 10; column += 1) {
    await page.keyboard.press('ArrowRight');
    if (String(await page.evaluate(cellText)).includes(holds)) return;
  }
  throw new Error(`no cell holds ${holds}`);
}

async function fixHere(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Enter');
  const input = page.locator('.fix-cell input');
  await input.waitFor();
  await page.keyboard.type(text);
  await page.locator('.verdict', { hasText: 'Domain' }).waitFor();
  await page.keyboard.press('Enter');
  // The cell below is typed into next, unless this was the last.
  await page.locator('.fixed', { hasText: text }).waitFor();
  if ((await input.count()) > 0) await page.keyboard.press('Escape');
}

/** The result of the newest run, as the command line writes it. */
async function exportedRows() {
  const { dossier, path: folder } = workbench.folder;
  await dossier('export', 'march.yaml', '--format', 'xlsx', '--output', 'exported');
  const path = join(folder, 'exported/workbook.xlsx');
  return await readBack(readFileSync(path), { fileName: 'workbook.xlsx' });
}
