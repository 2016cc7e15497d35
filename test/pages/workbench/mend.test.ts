import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchChromium } from '../../../scripts/launch-chromium.ts';
import type { JobState } from '../../../src/workbench/api/job-state.ts';
import { openPage, seriousViolations, testInBrowser } from '../../support/browser.ts';
import { ensurePages } from '../../support/built-page.ts';
import { type RunningWorkbench, startWorkbench } from '../../support/start-workbench.ts';
import { openFolder, type WorkbenchFolder } from '../../workbench/support/workbench-folder.ts';

/** Domains that begin with `s` are known. */
const list = `Name,Website,ABN,Country,Owner
Anna,s1.com.au,,,Ann
Bert,"s2,com.au",,,Ann
Carl,someone@gmail.com,,,Ann
Dora,s4.com.au,,Germany,Ann
Emil,unknown5.com.au,,,Ann
Fred,n/a,51 824 753 557,,Ann
`;
const jobFile = (name: string) => `name: ${name}
input: { path: leads.csv }
identify: [{ column: Website, as: fqdn }, { column: ABN, as: abn }]
country: { column: Country, default: AU }
service: { price: { company: 0.12, people: 0.5, currency: AUD } }
`;

let browser: Browser | undefined;
let folder: WorkbenchFolder;
let workbench: RunningWorkbench;
beforeAll(async () => {
  browser = await launchChromium();
  if (!browser) return;
  await ensurePages();
  folder = await openFolder((domain) =>
    domain.startsWith('s')
      ? { body: JSON.stringify({ id: `c_${domain}`, name: `The ${domain}`, fqdn: domain }) }
      : { status: 404, body: '{"error":404,"message":"Company not found"}' },
  );
  folder.write('leads.csv', list);
  for (const name of ['leads', 'other']) {
    folder.write(`${name}.yaml`, jobFile(name));
    await folder.dossier('run', `${name}.yaml`, '--output', `output/${name}`);
  }
  workbench = await startWorkbench(folder.path, folder.env);
});
afterAll(async () => {
  await browser?.close();
  await workbench?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Rows' });
const bar = (page: Page) => page.getByRole('region', { name: 'Mended' });
const input = (page: Page) => page.locator('.mend-input');
const verdict = (page: Page) => page.locator('.verdict [role=status]');
const line = (page: Page, number: number) =>
  grid(page).getByRole('row', { name: new RegExp(`^${number} `) });
/** The cell of a row in the column with this head. */
const cellOf = (page: Page, number: number, header: string) =>
  line(page, number).locator(
    `xpath=./td[@aria-colindex=//th[@scope="col"][normalize-space(.)="${header}"]/@aria-colindex]`,
  );
const keptLines = async (job: string) => {
  const { corrections } = JSON.parse(await folder.dossier('fix', job, '--list', '--json')) as {
    corrections: { column: string; was: string; now: string; state: string }[];
  };
  return corrections.map(({ column, was, now, state }) => `${column}: ${was} → ${now}, ${state}`);
};

testInBrowser(
  'three rejects are mended where they stand, and only they are asked for',
  async () => {
    await using opened = await openPage(browser, workbench.url, { width: 1_920 });
    const { page, complaints } = opened;
    await page.getByRole('link', { name: 'mend 4: leads.yaml' }).click();
    await page.getByText('4 of 6 rows').waitFor();
    await bar(page).getByText('Nothing is mended yet').waitFor();
    // The rest of the list says what a cell should be, and stands before what was not found.
    const heads = await page.locator('thead th').allInnerTexts();
    expect(heads.slice(0, 6)).toEqual(['Row', 'Name', 'Outcome', 'Website', 'ABN', 'Country']);
    expect(heads.slice(6, 8)).toEqual(['Owner', 'Company found']);

    // With the keyboard, from the number of the first row to its website.
    await cellOf(page, 2, 'Website').locator('.mendable').waitFor();
    await grid(page).focus();
    await page.keyboard.press('Home');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Website, row 2' }).waitFor();
    await page.getByText('This is not a domain, a web address or an e-mail address.').waitFor();
    await page.keyboard.type('s2.con');
    await verdict(page).getByText('No domain in the world has this ending.').waitFor();
    await page.keyboard.press('Enter');
    expect(await input(page).getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('https://s2.com.au/contact');
    await verdict(page).getByText('s2.com.au: domain').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await bar(page).getByRole('button', { name: 'Ask again for 1 row · AUD 0.12' }).waitFor();
    expect(
      await page.evaluate(
        'document.activeElement?.role ?? document.activeElement?.getAttribute("role")',
      ),
    ).toBe('grid');
    expect(await cellOf(page, 2, 'Website').innerText()).toBe(
      'https://s2.com.au/contact was s2,com.au',
    );

    // With the mouse.
    await cellOf(page, 3, 'Website').click();
    await page.keyboard.type('left.com.au');
    await page.keyboard.press('Escape');
    await cellOf(page, 3, 'Website').getByText('someone@gmail.com').waitFor();
    await cellOf(page, 3, 'Website').click();
    await page.keyboard.type('s3.com.au');
    await page.keyboard.press('Enter');
    await cellOf(page, 4, 'Country').click();
    await page.keyboard.type('Australia');
    await verdict(page).getByText('AU: Australia').waitFor();
    await page.keyboard.press('Enter');
    await bar(page).getByRole('button', { name: 'Ask again for 3 rows · AUD 0.36' }).waitFor();

    await page.reload();
    await bar(page).getByText('3 cells mended and kept; not asked for yet.').waitFor();
    await cellOf(page, 4, 'Country').getByText('was Germany').waitFor();
    expect(await keptLines('leads.yaml')).toEqual([
      'Website: s2,com.au → https://s2.com.au/contact, applies',
      'Website: someone@gmail.com → s3.com.au, applies',
      'Country: Germany → Australia, applies',
    ]);

    const before = folder.seen.length;
    await bar(page).getByRole('button', { name: 'Ask again for 3 rows · AUD 0.36' }).click();
    const states: string[] = [];
    await workbench.until('leads.yaml', ({ isRunning, isStarting, run: newest }) => {
      states.push(isStarting ? `before ${newest?.run.id}` : `${isRunning} ${newest?.run.id}`);
      return !isRunning && newest?.run.id === 'r3';
    });
    await bar(page).getByText('All that is mended was asked for.').waitFor();
    // The result of the run before is never told as that of the one that starts.
    expect(states).toContain('before r1');
    expect(states).not.toContain('true r1');

    // The user stays among the rejected rows, and is told what has become of the others.
    await page.getByText('Asked again for 3 rows: 3 matched now.').waitFor();
    await page.getByText('1 of 6 rows').waitFor();
    expect(page.url()).toContain('?status=invalid');
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show what changed' }).click();
    await page.getByText('3 of 6 rows').waitFor();
    for (const number of [2, 3, 4]) await line(page, number).getByText('Matched').waitFor();
    await line(page, 3).getByText('Carl').click();
    await page
      .getByRole('complementary', { name: 'Row 3' })
      .getByText('The s3.com.au')
      .first()
      .waitFor();
    expect(page.url()).toContain('changed=yes');
    expect(folder.seen.length - before).toBe(3);
    const { run } = await workbench.ask<JobState>('state?job=leads.yaml');
    expect(run).toMatchObject({ run: { id: 'r3' }, calls: { made: 3 }, rows: { matched: 4 } });
    expect(complaints).toEqual([]);
  },
);

testInBrowser(
  'on a narrow and dark page a row is mended in its drawer, and taken back',
  async () => {
    const url = `${workbench.url}#/result/other.yaml?status=invalid&row=6&at=3`;
    await using opened = await openPage(browser, url, { width: 390, colorScheme: 'dark' });
    const { page, complaints } = opened;
    await page.getByRole('button', { name: 'Mend ABN' }).click();
    await verdict(page).getByText('The check digits do not fit').waitFor();
    await page.keyboard.type('57 961 803 396');
    await verdict(page).getByText('57 961 803 396: ABN, check digits right').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('was 51 824 753 557').first().waitFor();
    expect(await keptLines('other.yaml')).toEqual([
      'ABN: 51 824 753 557 → 57 961 803 396, applies',
    ]);

    await page.getByRole('button', { name: 'Take back ABN' }).click();
    await page.getByRole('button', { name: 'Take back ABN' }).waitFor({ state: 'detached' });
    expect(await keptLines('other.yaml')).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    // What there is to say while nothing is mended scrolls away with the page.
    const position = (at: Page) =>
      at.evaluate('getComputedStyle(document.querySelector(".mend-bar")).position');
    expect(await position(page)).toBe('static');

    await cellOf(page, 2, 'Website').click();
    // The other job has asked for s2.com.au, so that its answer would be at hand.
    await page.keyboard.type('s22.com.au');
    await page.keyboard.press('Enter');
    await bar(page).getByRole('button', { name: 'Ask again for 1 row · AUD 0.12' }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    // It stays in sight, and is little higher than a button and a line.
    expect(await position(page)).toBe('sticky');
    expect((await bar(page).boundingBox())?.height).toBeLessThan(90);
    // A price that has changed since it was shown is looked at again, and nothing is asked for.
    folder.write('other.yaml', jobFile('other').replace('0.12', '0.2'));
    const before = folder.seen.length;
    await bar(page).getByRole('button', { name: 'AUD 0.12' }).click();
    await bar(page).getByText('The price has changed since').waitFor();
    await bar(page).getByRole('button', { name: 'Ask again for 1 row · AUD 0.20' }).waitFor();
    expect(folder.seen.length).toBe(before);
    await bar(page).getByRole('button', { name: 'Take back' }).click();
    await bar(page).getByText('Nothing is mended yet').waitFor();
    expect(await keptLines('other.yaml')).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

testInBrowser(
  'a long cell is mended from its whole text, one that is too long says so',
  async () => {
    const long = `${'see our page, '.repeat(200)}s7.com.au`;
    const rows = [`Gina,"${long}"`, `Hans,${'x'.repeat(100_001)}`];
    folder.write('long.csv', `Name,Website\n${rows.join('\n')}\n`);
    folder.write(
      'long.yaml',
      'name: long\ninput: { path: long.csv }\nidentify: [{ column: Website, as: fqdn }]\n',
    );
    await folder.dossier('run', 'long.yaml', '--output', 'output/long');
    await using opened = await openPage(
      browser,
      `${workbench.url}#/result/long.yaml?status=invalid`,
    );
    const { page } = opened;
    await cellOf(page, 1, 'Website').click();
    await page.getByRole('textbox', { name: 'Website, row 1' }).waitFor();
    expect(await input(page).inputValue()).toBe(long);
    for (let letter = 0; letter < 4; letter += 1) await page.keyboard.press('Delete');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('s7.com.au');
    await page.keyboard.press('Enter');
    await cellOf(page, 1, 'Website').getByText('was see our page').waitFor();
    expect(await keptLines('long.yaml')).toEqual([`Website: ${long} → s7.com.au, applies`]);

    await cellOf(page, 2, 'Website').click();
    await page.getByText('Too long to be mended here').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('Too long to be mended here').waitFor({ state: 'detached' });
    expect(await input(page).count()).toBe(0);
  },
);

testInBrowser('what cannot be asked for by mending says what to do instead', async () => {
  await using opened = await openPage(
    browser,
    `${workbench.url}#/result/other.yaml?status=invalid&status=not_found`,
  );
  const { page } = opened;
  await cellOf(page, 5, 'Website').locator('.mendable').waitFor();
  folder.write('other.yaml', `${jobFile('other')}people: { maxPerCompany: 5 }\n`);
  await cellOf(page, 5, 'Website').click();
  await page.keyboard.type('s5.com.au');
  await page.keyboard.press('Enter');
  await bar(page).getByText('The corrections are kept').waitFor();
  await bar(page).getByRole('link', { name: 'See what a run costs' }).waitFor();
  expect(await bar(page).getByRole('button', { name: 'Ask again for 1 row' }).isDisabled()).toBe(
    true,
  );
});
