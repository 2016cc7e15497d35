import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Manifest } from '../../src/results/manifest.ts';
import { findAttention, type ReportData } from '../../src/ui/report/report-data.ts';
import { readBuiltPage, renderReport } from '../../src/ui/report/report-sink.ts';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { ensurePages } from '../support/built-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hostileTexts, runOverHostileNames } from '../ui/report/hostile-run.ts';
import { changedReport, longReport, sampleReport } from '../ui/report/sample-report.ts';

/** A browser on a crowded machine takes its time. */
let manifest: Manifest;
let url: string;
const folder = temporaryFolder();

beforeAll(async () => {
  await ensurePages();
  manifest = await runOverHostileNames(folder.path);
  url = pathToFileURL(join(folder.path, 'report.html')).href;
});

afterAll(() => folder[Symbol.dispose]());

/** A report that no run has made, in a file of its own. */
function saved(name: string, report: ReportData): string {
  const path = join(folder.path, `${name}.html`);
  writeFileSync(path, renderReport(readBuiltPage() ?? '', report));
  return pathToFileURL(path).href;
}

testInBrowser('the report shows the facts of its run in order, without the network', async () => {
  await using opened = await openPage(url);
  const { page } = opened;
  await page.locator('header', { hasText: 'hostile' }).waitFor();
  await page.locator('#rows tbody tr').first().waitFor();

  // Its numbers are those of the manifest.
  const { rows, people } = manifest;
  const found = `${rows.total} rows done · ${rows.matched} found`;
  await page.getByRole('heading', { level: 1, name: found }).waitFor();
  const result = (await page.getByLabel('Result', { exact: true }).textContent()) ?? '';
  for (const fact of [
    `${people} people`,
    `Found ${rows.matched}`,
    `Not found ${rows.not_found}`,
    `Invalid ${rows.invalid}`,
  ]) {
    expect(result).toContain(fact);
  }
  expect(rows.invalid).toBeGreaterThan(0);
  expect(await page.locator('#files tbody tr').count()).toBe(manifest.files.length);

  // Sections come in the order of what to do about them, each with its link. The result has no id.
  const sections = await page.locator('main > *').evaluateAll((all) => all.map(({ id }) => id));
  expect(sections).toEqual(['', 'reasons', 'lookups', 'rows', 'people', 'files', 'coverage']);
  const links = await page
    .getByRole('navigation', { name: 'Sections' })
    .locator('a')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(sections.slice(1).map((id) => `#${id}`));

  // A reason is shown with the row that was rejected, or what was looked up, which is quoted.
  const reasonOf = (reason: string) =>
    page.locator('.reason').filter({ has: page.getByRole('heading', { name: reason }) });
  const [rejected] = await reasonOf('Not a domain').locator('li').allTextContents();
  expect(rejected).toContain('not a domain <b>at all</b>');
  expect((await reasonOf('Not found').locator('q').allTextContents())[0]).toBe('absent0.com.au');

  // Words of the page, not names of fields.
  expect(await page.locator('main').textContent()).not.toMatch(/nextGen|maxPerCompany|[a-z]_[a-z]/);

  // No name of a company, a person or a row does anything but being read.
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.locator('script').count()).toBe(2);
  expect(await page.locator('img, iframe, object, embed, body style').count()).toBe(0);
  const shown = (await page.locator('main').textContent()) ?? '';
  // Only what would turn the text around it is left out, and space before it.
  for (const text of hostileTexts) expect(shown).toContain(text.replace(/[\u2028\u202e]+/, ''));
  const hrefs = page
    .locator('a')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  for (const href of await hrefs) expect(href).toMatch(/^(?:#[a-z]+|[a-z]+\.(?:csv|jsonl))$/);

  expect(await seriousViolations(page)).toEqual([]);
  // A phone shows all of it without scrolling sideways, and breaks no word.
  await page.setViewportSize({ width: 390, height: 900 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await page.evaluate(wordsInTwoLines)).toEqual([]);
  expect(opened.complaints).toEqual([]);
  expect(opened.requests).toEqual([]);
});

testInBrowser('rows and people are plain tables, in words and with their outcome', async () => {
  await using opened = await openPage(url);
  const { page } = opened;
  const rows = page.locator('#rows');
  await rows.locator('tbody tr').first().waitFor();
  expect(await rows.locator('tbody tr').count()).toBe(manifest.rows.total);
  const found = rows.locator('tbody tr', { hasText: 'found1.com.au' }).first();
  expect(await found.textContent()).toContain('Found');
  const absent = rows.locator('tbody tr', { hasText: 'absent3.com.au' });
  expect(await absent.textContent()).toContain('Not found');
  await rows.locator('tbody tr', { hasText: 'Not a domain' }).first().waitFor();
  await rows.getByRole('columnheader', { name: 'People', exact: true }).waitFor();

  const people = page.locator('#people');
  await people.getByRole('columnheader', { name: 'Title' }).waitFor();
  expect(await people.locator('tbody tr').count()).toBe(manifest.people);
  // A report only shows: what needs a server is in the workbench.
  expect(await page.getByRole('button').count()).toBe(0);
  expect(opened.complaints).toEqual([]);
  expect(opened.requests).toEqual([]);
});

testInBrowser('everything is reached by the keyboard, and paper shows rows in full', async () => {
  await using opened = await openPage(url);
  const { page } = opened;
  const usable = 'a[href], button:not(:disabled), input, select, summary, [tabindex="0"]';
  const total = await page.locator(usable).count();
  const mark = `document.activeElement?.setAttribute('data-reached', '')`;
  for (let press = 0; press < total + 5; press += 1) {
    await page.keyboard.press('Tab');
    await page.evaluate(mark);
  }
  // What only a narrow screen shows is not reached here.
  const left = page.locator(`:is(${usable}):not([data-reached]):not(.narrow-only)`);
  expect(await left.evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML))).toEqual(
    [],
  );

  await page.emulateMedia({ media: 'print' });
  await page
    .locator('#rows tbody tr')
    .nth(manifest.rows.total - 1)
    .waitFor();
  const scrolls = `getComputedStyle(document.querySelector('#rows .scroll')).overflowX`;
  expect(await page.evaluate(scrolls)).toBe('visible');
});

/** Gives the words that stand in two lines, which would be read as two. It runs in the page. */
const wordsInTwoLines = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: word, index } of node.textContent.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word);
    }
  }
  return broken;
})()`;

testInBrowser('why a result is held, or a run was stopped, stands before the rows', async () => {
  const message = 'rows: 10 rows, 290 below the expected >= 300';
  const held = sampleReport({
    complete: true,
    held: [{ expectation: 'rows', expected: '>= 300', found: '10', message }],
  });
  await using opened = await openPage(saved('held', held), { width: 390 });
  const { page } = opened;
  const banner = () => page.getByRole('alert').textContent();
  await page.getByRole('heading', { level: 1, name: /^Held: / }).waitFor();
  expect(await banner()).toContain(`No published result was changed.${message}`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await seriousViolations(page)).toEqual([]);

  const why = 'the budget of 149 calls is spent';
  const gone = { kind: 'gone_column', name: 'owner', message: 'column owner is gone' } as const;
  const report = { ...longReport(300, 20), complete: false, warnings: [gone] };
  const stopped = { ...report, why, isAside: true, rows: { ...report.rows, stale: 151 } };
  const attention = findAttention({ ...stopped, ...report.insight, possiblyCharged: 0 });
  await page.goto(saved('stopped', { ...report, attention }));
  await page.getByRole('heading', { level: 1, name: /^Stopped: / }).waitFor();
  const shown = await page.getByLabel('Result', { exact: true }).textContent();
  for (const fact of [
    'The run did not finish',
    why,
    '151 rows show older answers',
    'These files are in a separate folder',
  ]) {
    expect(shown).toContain(fact);
  }
  expect(shown?.split(gone.message)).toHaveLength(2);
});

testInBrowser('a list of a million rows opens with some of them', async () => {
  const url = saved('long', longReport(1_000_000, 200));
  expect(statSync(join(folder.path, 'long.html')).size).toBeLessThan(200_000);
  await using opened = await openPage(url);
  const { page } = opened;
  expect(await page.locator('#rows .lead').textContent()).toContain(
    'This page shows 200 of 1,000,000 rows',
  );
  await page.getByText('Company 200 Pty Ltd').waitFor();
  expect(opened.complaints).toEqual([]);
});

testInBrowser('what changed since the last run is told, with before and after', async () => {
  const [hostile = ''] = hostileTexts;
  const narrow = { width: 390, colorScheme: 'dark' } as const;
  await using opened = await openPage(saved('changed', changedReport(hostile)), narrow);
  const { page } = opened;
  const section = page.locator('#changes');
  expect(await section.locator('h2').textContent()).toBe('1,301 changes since r29');
  expect(await section.locator('h3').allTextContents()).toEqual([
    'Lost 2',
    'Replaced by another company 1',
    'Found 13',
    'People joined 41',
    'People left 1',
    'Rows added 2',
    'Rows removed 1',
    'Fields that changed most among companies and people in both runs',
  ]);
  const text = (await section.textContent()) ?? '';
  expect(text).toContain('Old Harbour Lane Holdings → ');
  expect(text).toContain(`${hostile} nothing → {"CRM":["HubSpot"]}`);
  expect(text).toContain('and 16 others in the changes file');
  expect(text).toContain('row 13');
  // A row without a name is called by its key, unless that is a hash.
  expect(text).toMatch(/crm-\d+row 1\D/);
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await page.evaluate(wordsInTwoLines)).toEqual([]);
  expect(opened.complaints).toEqual([]);
  expect(await seriousViolations(page)).toEqual([]);
});
