import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

const list = `Company,State
Hollinbeck Electronics P/L,
hazelthorpe stores,
Ploverbeclk Media Australia,QLD
Nobody Has This Name,
`;

const workbench = sharedWorkbench({
  async fill({ path, write, dossier }) {
    const register = join(path, 'register.db');
    const extract = packagePath('fixtures/register/20260630_Public01.xml');
    await dossier('register', 'load', extract, '--register', register);
    write('leads.csv', list);
    write('leads.yaml', 'name: leads\ninput: { path: leads.csv }\nregister: register.db\n');
  },
});

const suggestions = (page: Page, row: number) =>
  page.getByRole('row', { name: new RegExp(`^Select row ${row} `) }).locator('td > small button');
const focused = (page: Page) => page.evaluate('document.activeElement?.getAttribute("role")');
const kept = async () => {
  const { corrections } = JSON.parse(
    await workbench.folder.dossier('fix', 'leads.yaml', '--list', '--json'),
  ) as { corrections: { was: string; now: string }[] };
  return corrections.map(({ was, now }) => `${was} → ${now}`);
};

testInBrowser('a list of names is found by the register, and Fix suggests companies', async () => {
  const { ui } = workbench;
  await using opened = await openPage(`${ui.url}#/read/leads.yaml`);
  const { page, complaints } = opened;
  await page.getByText('Companies are found by Company (names in the register).').waitFor();
  await page.getByText('Names in the register: 0 unique, 2 ambiguous, 2 unknown.').waitFor();
  await page.getByText('Uncertain names cost nothing.').waitFor();
  expect(await page.getByLabel('Use of Company').inputValue()).toBe('identifier name');
  expect(await seriousViolations(page)).toEqual([]);
  // A job that a choice has written still knows the names.
  await page.getByLabel('Default country').selectOption('NZ');
  await page.getByText('Companies are found by Company (names in the register).').waitFor();
  await page.getByLabel('Default country').selectOption('AU');
  await workbench.folder.dossier('run', 'leads.yaml');

  await page.goto(`${ui.url}#/result/leads.yaml`);
  await page.getByRole('button', { name: 'Fix 4 rows' }).click();
  // The keyboard starts in the first cell to fix. Choosing goes on to the next, and Undo back.
  await page.locator('#cell-0-1.at').waitFor();
  for (const key of ['Tab', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await page.locator('#cell-1-1.at').waitFor();
  await page
    .getByText('HOLLINBECK ELECTRONICS LIMITED · ABN 80 903 132 230 was Hollinbeck Electronics P/L')
    .waitFor();
  expect(await focused(page)).toBe('grid');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('#cell-0-1.at').waitFor();
  expect(await focused(page)).toBe('grid');
  // Companies of one name are told apart by their place.
  await suggestions(page, 1).first().waitFor();
  const texts = await suggestions(page, 1).allInnerTexts();
  expect(texts.slice(0, 2)).toEqual([
    'HOLLINBECK ELECTRONICS LIMITED\nWA 6100 · ABN 61 957 915 436 · same name',
    'HOLLINBECK ELECTRONICS LIMITED\nNSW 2000 · ABN 80 903 132 230 · same name',
  ]);
  expect(await seriousViolations(page)).toEqual([]);

  await suggestions(page, 1).nth(1).click();
  await page.getByText('1 cell corrected and saved').waitFor();
  // The choice is marked and can be changed; no row has moved.
  expect(await suggestions(page, 1).nth(1).getAttribute('aria-pressed')).toBe('true');
  expect(await page.locator('[aria-invalid]').count()).toBe(3);
  expect(await suggestions(page, 1).count()).toBe(texts.length);

  // With the keyboard: Enter opens the cell, Tab reaches a suggestion, Enter chooses and goes on.
  await page
    .getByRole('row', { name: /^Select row 2 / })
    .locator('.fixable')
    .click();
  await page.getByRole('textbox', { name: 'Company, row 2' }).waitFor();
  for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('textbox', { name: 'Company, row 3' }).waitFor();
  for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
  await page.getByText('3 cells corrected and saved').waitFor();
  expect(await kept()).toEqual([
    'Hollinbeck Electronics P/L → 80903132230',
    'hazelthorpe stores → 44946901720',
    'Ploverbeclk Media Australia → 85976816958',
  ]);
  await page.getByRole('button', { name: /^Look up again: 3 rows/ }).waitFor();
  expect(complaints).toEqual([]);
});
