import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

import { launchChromium } from '../../scripts/launch-chromium.ts';
import { readPage, renderReport } from '../../src/report/render-report.ts';
import type { Manifest } from '../../src/sinks/manifest.ts';
import { hostileTexts, runOverHostileNames } from '../report/hostile-run.ts';
import { changedReport, longReport, sampleReport } from '../report/sample-report.ts';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { ensurePages } from '../support/built-page.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A browser on a crowded machine takes its time. */
const patient = { timeout: 20_000 };
let browser: Browser | undefined;
let manifest: Manifest;
let url: string;
const folder = temporaryFolder();

beforeAll(async () => {
  browser = await launchChromium();
  if (!browser) return;
  await ensurePages();
  manifest = await runOverHostileNames(folder.path);
  url = pathToFileURL(join(folder.path, 'report.html')).href;
});

afterAll(async () => {
  await browser?.close();
  folder[Symbol.dispose]();
});

/** `Calls made → 12` */
async function tile(page: Page, name: string): Promise<number> {
  const term = page.locator('.summary dt', { hasText: name });
  const text = await term.locator('xpath=following-sibling::dd/b').textContent();
  return Number(text?.replaceAll(',', ''));
}

testInBrowser('the report opens without a complaint and without the network', async () => {
  await using opened = await openPage(browser, url);
  await opened.page.locator('h1', { hasText: 'hostile' }).waitFor();
  expect(opened.complaints).toEqual([]);
  expect(opened.requests).toEqual([]);
});

testInBrowser('its numbers are those of the manifest', async () => {
  await using opened = await openPage(browser, url);
  const { page } = opened;
  const { counts, calls } = manifest;
  expect(await tile(page, 'Rows in')).toBe(counts.rows);
  expect(await tile(page, 'Rows matched')).toBe(counts.matched);
  expect(await tile(page, 'People out')).toBe(counts.people);
  expect(await tile(page, 'Calls made')).toBe(calls.made);
  expect(await tile(page, 'Calls saved')).toBe(calls.saved);
  const legend = await page.locator('.summary .legend').textContent();
  expect(legend).toContain(`Matched ${counts.matched}`);
  expect(legend).toContain(`Not found ${counts.not_found}`);
  expect(legend).toContain(`Invalid ${counts.invalid}`);
  expect(counts.invalid).toBeGreaterThan(0);
  const files = await page.locator('#files tbody tr').allTextContents();
  expect(files.length).toBe(manifest.files.length);
});

testInBrowser(
  'sections come in the order of what to do about them, each with its link',
  async () => {
    await using opened = await openPage(browser, url);
    const { page } = opened;
    const sections = await page.locator('main > *').evaluateAll((all) => all.map(({ id }) => id));
    // The headline has no id.
    expect(sections).toEqual(['', 'rows', 'rejects', 'files', 'people', 'coverage']);
    const links = await page.locator('nav a').evaluateAll((all) => all.map((link) => link.hash));
    expect(links).toEqual(sections.slice(1).map((id) => `#${id}`));
  },
);

testInBrowser(
  'a reason is shown with the cell that was rejected, or what was asked for',
  async () => {
    await using opened = await openPage(browser, url);
    const cellsOf = (reason: string) =>
      opened.page
        .locator('.reasons > li')
        .filter({ has: opened.page.getByRole('heading', { name: reason }) })
        .locator('q')
        .allTextContents();
    expect((await cellsOf('Not a domain'))[0]).toBe('website: not a domain <b>at all</b>');
    expect((await cellsOf('Not found'))[0]).toBe('absent0.com.au');
  },
);

testInBrowser('no name of a company, a person or a row does anything but being read', async () => {
  await using opened = await openPage(browser, url);
  const { page } = opened;
  await page.locator('#rows tbody tr').first().waitFor();
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.locator('script').count()).toBe(2);
  expect(await page.locator('img, iframe, object, embed, body style').count()).toBe(0);
  const shown = (await page.locator('main').textContent()) ?? '';
  // Only what would turn the text around it is left out, and space before it.
  for (const text of hostileTexts) expect(shown).toContain(text.replace(/[\u2028\u202e]+/, ''));
  for (const link of await page.locator('a').all()) {
    expect(await link.getAttribute('href')).toMatch(/^(?:#[a-z]+|[a-z]+\.(?:csv|jsonl))$/);
  }
});

testInBrowser(
  'rows are found by what they hold, by their outcome and by their reason',
  async () => {
    await using opened = await openPage(browser, url);
    const { page } = opened;
    const found = () => page.locator('.found').textContent();
    const all = `${manifest.counts.rows} rows`;
    await expect.poll(found, patient).toBe(all);

    await page.getByRole('searchbox').fill('ABSENT3.com');
    await expect.poll(found, patient).toBe(`1 row of ${manifest.counts.rows}`);
    await page.getByRole('searchbox').fill('nobody has this');
    expect(await page.locator('#rows .empty').textContent()).toBe('No row is like that.');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(found, patient).toBe(all);

    await page.getByRole('button', { name: /Not found/ }).click();
    await expect.poll(found, patient).toContain(`${manifest.counts.not_found} rows of`);
    await page.getByRole('button', { name: /Invalid/ }).click();
    const both = manifest.counts.not_found + manifest.counts.invalid;
    await expect.poll(found, patient).toContain(`${both} rows of`);
    await page.getByRole('combobox').selectOption('not_a_domain');
    await expect.poll(found, patient).toContain(`${hostileTexts.length} rows of`);
  },
);

testInBrowser('nobody is kept out, in the light or in the dark', async () => {
  await using light = await openPage(browser, url);
  expect(await seriousViolations(light.page)).toEqual([]);
  // Only colours are others in the dark.
  await using dark = await openPage(browser, url, { colorScheme: 'dark' });
  expect(await seriousViolations(dark.page, ['color-contrast'])).toEqual([]);
});

testInBrowser('the theme can be chosen', async () => {
  await using opened = await openPage(browser, url, { colorScheme: 'light' });
  const { page } = opened;
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const light = await paper();
  await page.locator('.themes').getByText('Dark').click();
  await expect.poll(paper, patient).not.toBe(light);
  await page.locator('.themes').getByText('Light').click();
  await expect.poll(paper, patient).toBe(light);
  expect(opened.complaints).toEqual([]);
});

testInBrowser('who wants less motion gets none', async () => {
  await using opened = await openPage(browser, url);
  const { page } = opened;
  const scrolling = () =>
    page.evaluate('getComputedStyle(document.documentElement).scrollBehavior');
  expect(await scrolling()).toBe('smooth');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await scrolling()).toBe('auto');
});

testInBrowser('everything that can be used is reached by the keyboard', async () => {
  await using opened = await openPage(browser, url);
  const { page } = opened;
  const usable = 'a[href], button:not(:disabled), input, select, summary, [tabindex="0"]';
  const total = await page.locator(usable).count();
  const mark = `document.activeElement?.setAttribute('data-reached', '')`;
  for (let press = 0; press < total + 5; press += 1) {
    await page.keyboard.press('Tab');
    await page.evaluate(mark);
  }
  // Of a group of radio buttons the chosen one is reached; arrows do the rest.
  const left = page.locator(`:is(${usable}):not([data-reached]):not([type="radio"])`);
  expect(await left.evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML))).toEqual(
    [],
  );
});

testInBrowser('a phone shows all of it without scrolling sideways', async () => {
  await using opened = await openPage(browser, url, { width: 390 });
  const { page } = opened;
  await page.locator('#rows tbody tr').first().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
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

testInBrowser('a phone breaks no word apart', async () => {
  await using done = await openPage(browser, url, { width: 390 });
  await done.page.locator('#rows tbody tr').first().waitFor();
  expect(await done.page.evaluate(wordsInTwoLines)).toEqual([]);
});

testInBrowser('why a result is held stands above everything else', async () => {
  const path = join(folder.path, 'held.html');
  const { run } = sampleReport();
  const message = 'rows: 10 rows, 290 below the expected >= 300';
  const held = sampleReport({ run: { ...run, state: 'finished', held: [message] } });
  writeFileSync(path, renderReport(readPage() ?? '', held));
  await using opened = await openPage(browser, pathToFileURL(path).href, { width: 390 });
  const { page } = opened;
  expect(await page.locator('header > :first-child').textContent()).toContain(message);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await seriousViolations(page)).toEqual([]);
});

testInBrowser('progress comes before the match rate, which is of what was asked for', async () => {
  const path = join(folder.path, 'early.html');
  const rows = { total: 512, matched: 41, not_found: 0, invalid: 3, failed: 0, open: 468 };
  writeFileSync(path, renderReport(readPage() ?? '', sampleReport({ rows })));
  await using opened = await openPage(browser, pathToFileURL(path).href);
  const { page } = opened;
  expect(await page.locator('.summary h2').textContent()).toBe('8.6%44 of 512 rows done');
  expect(await page.locator('.so-far').textContent()).toBe(
    '100% matched so far: 41 of 41 rows asked for',
  );
});

testInBrowser('on paper rows stand in full, and what only a screen can do is gone', async () => {
  await using opened = await openPage(browser, url);
  const { page } = opened;
  await page.emulateMedia({ media: 'print' });
  await page
    .locator('#rows tbody tr.line')
    .nth(manifest.counts.rows - 1)
    .waitFor();
  expect(await page.locator('.filters').isVisible()).toBe(false);
});

testInBrowser('a list of a million rows opens with as many as a page can hold', async () => {
  const path = join(folder.path, 'long.html');
  writeFileSync(path, renderReport(readPage() ?? '', longReport(1_000_000, 3_000)));
  expect(statSync(path).size).toBeLessThan(1_000_000);
  await using opened = await openPage(browser, pathToFileURL(path).href);
  const { page } = opened;
  expect(await page.locator('#rows .lead').textContent()).toContain(
    'This page holds 3,000 of 1,000,000 rows',
  );
  expect(await page.locator('.found').textContent()).toBe(
    '3,000 rows in this page, 997,000 not in it',
  );
  await page.getByRole('button', { name: 'Matched 3,000 of 1,000,000' }).waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('searchbox').fill('Company 999999');
  expect(await page.locator('#rows .empty').textContent()).toBe(
    'None of the 3,000 rows in this page is like that. 997,000 other rows are not in it: ' +
      'dossier ui searches all 1,000,000, and companies.csv has them.',
  );
  await page.getByRole('searchbox').fill('Company 3000');
  await expect
    .poll(() => page.locator('.found').textContent(), patient)
    .toBe('1 row of 3,000 in this page, 997,000 not searched');
  await page.getByRole('button', { name: 'Show all' }).click();
  const lines = page.locator('#rows tr.line');
  expect(await lines.count()).toBeLessThan(60);
  await page.locator('.rows').evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await lines.filter({ hasText: 'Company 3000 Pty Ltd' }).waitFor();
  expect(await lines.count()).toBeLessThan(60);
  expect(opened.complaints).toEqual([]);
});

testInBrowser(
  'a run that was stopped says so before its figures, and shows no match rate',
  async () => {
    const path = join(folder.path, 'stopped.html');
    const report = longReport(300, 20);
    const stopped = { why: 'the budget of 149 requests is spent', isAside: true };
    const run = { ...report.run, state: 'interrupted', stopped } as const;
    writeFileSync(path, renderReport(readPage() ?? '', { ...report, run, stale: 151 }));
    await using opened = await openPage(browser, pathToFileURL(path).href);
    const banner = await opened.page.locator('[role=alert]').textContent();
    expect(banner).toContain('Not finished.');
    expect(banner).toContain('the budget of 149 requests is spent');
    expect(banner).toContain('151 rows show older answers');
    expect(banner).toContain('The files are put aside');
    const headline = await opened.page.locator('#summary-title').textContent();
    expect(headline).toContain('149 of 300 rows done');
    expect(headline).not.toContain('100%');
    expect(await seriousViolations(opened.page)).toEqual([]);
  },
);

testInBrowser('what changed since the last run is told, with before and after', async () => {
  const [hostile = ''] = hostileTexts;
  const path = join(folder.path, 'changed.html');
  writeFileSync(path, renderReport(readPage() ?? '', changedReport(hostile)));
  const { href } = pathToFileURL(path);
  await using opened = await openPage(browser, href, { width: 390 });
  const { page } = opened;
  const section = page.locator('#changes');
  expect(await section.locator('h2').textContent()).toBe('1,301 changes since r29');
  const titles = await section.locator('h3').allTextContents();
  expect(titles.map((title) => title.replace(/ where.*/, ''))).toEqual([
    'Lost 2',
    'Replaced by another company 1',
    'Found 13',
    'Joined 41',
    'Left 1',
    'Rows added 2',
    'Rows removed 1',
    'Fields that changed most',
  ]);
  const text = (await section.textContent()) ?? '';
  expect(text).toContain('Old Harbour Lane Holdings → ');
  expect(text).toContain(`${hostile} nothing → {"CRM":["HubSpot"]}`);
  expect(text).toContain('and 16 others in the file of the changes');
  expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(await page.evaluate(wordsInTwoLines)).toEqual([]);
  expect(opened.complaints).toEqual([]);
  await using dark = await openPage(browser, href, { colorScheme: 'dark' });
  expect(await seriousViolations(dark.page)).toEqual([]);
});
