import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { JobState } from '../../src/ui/workbench/api/answers.ts';
import { openPage, seriousViolations, testInBrowser } from '../support/browser.ts';
import { sharedWorkbench } from '../ui/workbench/support/workbench-folder.ts';

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
const long = 'see our page, '.repeat(200);
const manyJob =
  'name: many\nledger: many.db\ninput: { path: many.csv }\nidentify: [{ column: Website, as: fqdn }]\n';

const workbench = sharedWorkbench({
  async fill({ write, dossier }) {
    write('leads.csv', list);
    const leads = ['leads', 'other'].map((name) => [name, jobFile(name)]);
    const own = ['slow', 'paused'].map((name) => [name, `${jobFile(name)}ledger: ${name}.db\n`]);
    const jobs = Object.fromEntries([...leads, ...own, ['many', manyJob]]) as Record<
      string,
      string
    >;
    const rows = Array.from({ length: 120 }, (_, at) => `Company ${at + 1},"bad ${at || long}"`);
    write('many.csv', `Company,Website\n${rows.join('\n')}\n`);
    for (const [name, text] of Object.entries(jobs)) {
      write(`${name}.yaml`, text);
      await dossier('run', `${name}.yaml`, '--output', `output/${name}`);
    }
  },
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Rows' });
const bar = (page: Page) => page.getByRole('region', { name: 'Fix', exact: true });
const input = (page: Page) => page.locator('.fix-cell input');
const verdict = (page: Page) => page.locator('.verdict [role=status]');
const line = (page: Page, number: number) =>
  grid(page).getByRole('row', { name: new RegExp(`^(?:Select row ${number} )?${number} `) });
/** The cell of a row in the first column with this head: one of ours may be called like one of the list. */
const cellOf = (page: Page, number: number, header: string) =>
  line(page, number)
    .locator(
      `xpath=./td[count(preceding-sibling::*)=count((//th[@scope="col"][normalize-space(.)="${header}"])[1]/preceding-sibling::*)]`,
    )
    .first();
/** Beside the name. */
const reasonOf = (page: Page, number: number) => line(page, number).locator('.pinned .reason-text');
const keptLines = async (job: string) => {
  const { corrections } = JSON.parse(
    await workbench.folder.dossier('fix', job, '--list', '--json'),
  ) as {
    corrections: { column: string; was: string; now: string; state: string }[];
  };
  return corrections.map(({ column, was, now, state }) => `${column}: ${was} → ${now}, ${state}`);
};

testInBrowser('three rejects are fixed where they stand, and only they are looked up', async () => {
  const { folder, ui } = workbench;
  await using opened = await openPage(ui.url, { width: 1_920 });
  const { page, complaints } = opened;
  await page.getByRole('link', { name: /^Fix 5: leads/ }).click();
  await page.getByText('5 of 6 rows', { exact: true }).waitFor();
  await bar(page).getByText('paste a column to fill the cells below').waitFor();
  // The rest of the list says what a cell should be, and stands before what was not found.
  await cellOf(page, 2, 'Website').locator('.fixable').waitFor();
  const heads = await grid(page).locator('thead th').allInnerTexts();
  expect(heads.slice(0, 6).map((text) => text.trim())).toEqual([
    ...['Row', 'Name', 'Website', 'ABN', 'Country', 'Owner'],
  ]);
  await reasonOf(page, 2).getByText('This is not a domain').waitFor();
  // The cell that the reason is about is marked.
  for (const [number, header] of [
    [2, 'Website'],
    [4, 'Country'],
    [5, 'Website'],
    [6, 'ABN'],
  ] as const) {
    expect(await line(page, number).locator('[aria-invalid]').count()).toBe(1);
    expect(await cellOf(page, number, header).getAttribute('aria-invalid')).toBe('true');
  }

  // With the keyboard, from the number of the first row to its website.
  await grid(page).focus();
  await page.keyboard.press('Home');
  for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Website, row 2' }).waitFor();
  // The reason below the cell says it, too.
  await verdict(page).getByText('This is not a domain, URL or e-mail address.').waitFor();
  await page.keyboard.type('s2.con');
  await verdict(page).getByText('No public domain has this ending.').waitFor();
  await page.keyboard.press('Enter');
  expect(await input(page).getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('https://s2.com.au/contact');
  await verdict(page).getByText('s2.com.au: domain').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await bar(page).getByRole('button', { name: 'Look up again: 1 row · up to AUD 0.24' }).waitFor();
  // Enter goes on in the cell below.
  await page.getByRole('textbox', { name: 'Website, row 3' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.evaluate('document.activeElement?.getAttribute("role")')).toBe('grid');
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
  await bar(page).getByRole('button', { name: 'Look up again: 3 rows · up to AUD 0.48' }).waitFor();

  await page.reload();
  await bar(page).getByText('3 cells corrected and saved, but not looked up yet.').waitFor();
  await cellOf(page, 4, 'Country').getByText('was Germany').waitFor();
  expect(await keptLines('leads.yaml')).toEqual([
    'Website: s2,com.au → https://s2.com.au/contact, applies',
    'Website: someone@gmail.com → s3.com.au, applies',
    'Country: Germany → Australia, applies',
  ]);

  const before = folder.seen.length;
  await bar(page).getByRole('button', { name: 'Look up again: 3 rows · up to AUD 0.48' }).click();
  // The result of the run before is never shown as that of the one that starts.
  await ui.until('leads.yaml', ({ isRunning, isStarting, run: newest }) => {
    expect(isRunning && !isStarting && newest?.run === 'r1').toBe(false);
    return !isRunning && newest?.run === 'r3';
  });

  // The rows stay where they are, with what has become of them.
  await line(page, 3).getByText('Found', { exact: true }).waitFor();
  await page.getByText('5 of 6 rows', { exact: true }).waitFor();
  expect(page.url()).toContain('?fix=&status=invalid&status=not_found');
  await bar(page).getByRole('button', { name: 'Done' }).click();
  // The filter is the rejected rows, of which this is none any more.
  await line(page, 3).waitFor({ state: 'detached' });
  await page.goto(`${ui.url}#/result/leads.yaml`);
  await line(page, 3).getByText('Carl').click();
  await page
    .getByRole('complementary', { name: 'Row 3' })
    .getByText('Company of s3.com.au')
    .first()
    .waitFor();
  expect(folder.seen.length - before).toBe(3);
  const { run } = await ui.answer<JobState>('state?job=leads.yaml');
  expect(run).toMatchObject({ run: 'r3', calls: { made: 3 }, rows: { matched: 4 } });
  expect(complaints).toEqual([]);
});

testInBrowser('a run that finds no company asks about service, country and column', async () => {
  const { write, dossier } = workbench.folder;
  const rows = Array.from({ length: 10 }, (_, at) => `unknown-${at}.com.au`);
  write('missed.csv', `Website\n${rows.join('\n')}\n`);
  const price = 'service: { price: { company: 0.12, currency: AUD } }';
  write('missed.yaml', `name: missed\ninput: { path: missed.csv }\n${price}\n`);
  await expect(dossier('run', 'missed.yaml')).rejects.toThrow('No company found in 10 calls');
  await using opened = await openPage(`${workbench.ui.url}#/result/missed.yaml`);
  const alarm = opened.page.getByRole('alert');
  await alarm.getByText('No company found for 10 rows: AUD 1.20.').waitFor();
  await alarm.getByText('Is this the right service, country and column?').waitFor();
  await alarm.getByRole('link', { name: 'See how the list is read' }).waitFor();
  expect(await seriousViolations(opened.page)).toEqual([]);
});

testInBrowser('what users click while a value is saved stays theirs', async () => {
  const url = `${workbench.ui.url}#/result/slow.yaml?fix=&status=invalid&status=not_found`;
  await using opened = await openPage(url, { width: 1_920 });
  const { page } = opened;
  let answerSave = () => {};
  await page.route(/fixes\?/, async (route) => {
    if (route.request().method() === 'PUT')
      await new Promise<void>((resolve) => {
        answerSave = resolve;
      });
    await route.continue();
  });
  const saveIn = async (number: number, value: string) => {
    await cellOf(page, number, 'Website').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(value);
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await page.keyboard.press('Enter');
    await sent;
  };
  const reason = reasonOf(page, 3);
  await reason.waitFor();
  await saveIn(3, 's3.com.au');
  await cellOf(page, 4, 'Country').hover();
  await page.mouse.down();
  // The row above gets shorter before the button is up.
  answerSave();
  await reason.waitFor({ state: 'detached' });
  await page.mouse.up();
  await page.keyboard.type('Australia');
  await verdict(page).getByText('AU: Australia').waitFor();
  await page.keyboard.press('Escape');

  await saveIn(2, 's2.com.au');
  await page.getByRole('searchbox').click();
  answerSave();
  await cellOf(page, 2, 'Website').getByText('was s2,com.au').waitFor();
  await input(page).waitFor({ state: 'detached' });
  await page.keyboard.type('Dora');
  expect(await page.getByRole('searchbox').inputValue()).toBe('Dora');
});

testInBrowser('Enter, a pasted column and a selection cross pages of frozen rows', async () => {
  await using opened = await openPage(`${workbench.ui.url}#/result/many.yaml?size=50`);
  const { page } = opened;
  // The count on the button is that of the rows it opens.
  await page.getByRole('button', { name: 'Fix 120 rows' }).click();
  await bar(page).waitFor();
  expect(await page.evaluate('document.activeElement?.getAttribute("role")')).toBe('grid');
  await page.getByRole('button', { name: '120 rows', pressed: true }).waitFor();

  // Only the beginning of a very long cell is there, so it is typed anew.
  await cellOf(page, 1, 'Website').click();
  expect(await input(page).inputValue()).toBe('');
  await page.keyboard.press('Escape');

  await cellOf(page, 50, 'Website').click();
  await page.keyboard.type('s50.com.au');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Website, row 51' }).waitFor();
  expect(page.url()).toContain('page=2');
  const paste = `const carried = new DataTransfer();
    carried.setData('text/plain', ['s51.com.au', 'nonsense', 's53.com.au', ...Array(50).fill('s60.com.au')].join('\\n'));
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: carried, bubbles: true, cancelable: true }));`;
  await page.evaluate(paste);
  await bar(page).getByText('53 cells corrected and saved').waitFor();
  await cellOf(page, 53, 'Website').getByText('s53.com.au').waitFor();
  // A refused value stays in its cell with the reason, also after a click elsewhere.
  const refused = (number: number) => cellOf(page, number, 'Website').locator('.refused');
  await bar(page).getByText('1 refused value is marked and not saved.').waitFor();
  await cellOf(page, 52, 'Website').locator('.refused', { hasText: 'nonsense' }).waitFor();
  await reasonOf(page, 52).getByText('This is not a domain').waitFor();
  await cellOf(page, 54, 'Website').click();
  await page.keyboard.type('s54.con');
  await cellOf(page, 55, 'Website').click();
  await refused(54).getByText('s54.con').waitFor();
  await bar(page).getByText('2 refused values are marked').waitFor();
  await refused(52).click();
  expect(await input(page).inputValue()).toBe('nonsense');
  await page.keyboard.press('Escape');
  await cellOf(page, 52, 'Website').getByText('bad 51').waitFor();

  // Shift selects all rows between two clicks.
  const select = (number: number) => page.getByRole('checkbox', { name: `Select row ${number}` });
  await select(60).click({ modifiers: ['Shift'] });
  await bar(page).getByText('1 row selected').waitFor();
  await select(55).click({ modifiers: ['Shift'] });
  await bar(page).getByText('6 rows selected').waitFor();
  await select(57).click();
  await select(59).click({ modifiers: ['Shift'] });
  await bar(page).getByText('3 rows selected').waitFor();

  await page.getByRole('checkbox', { name: 'Select all 120 rows' }).check();
  await page.getByRole('textbox', { name: 'Value for all selected rows' }).fill('s99.com.au');
  await page.getByRole('button', { name: 'Set in 120 rows' }).click();
  await bar(page).getByText('120 cells corrected and saved').waitFor();
  await refused(54).waitFor({ state: 'detached' });
  await bar(page)
    .getByRole('button', { name: /^Look up again: 120 rows · / })
    .waitFor();
  expect(await keptLines('many.yaml')).toHaveLength(120);

  // Each Undo takes back one step. A cell that was corrected before the step has that value again.
  const undo = bar(page).getByRole('button', { name: 'Undo' });
  await undo.click();
  await bar(page).getByText('53 cells corrected and saved').waitFor();
  for (const _ of ['refused', 'pasted']) await undo.click();
  await bar(page).getByText('1 cell corrected and saved').waitFor();
  expect(await keptLines('many.yaml')).toEqual(['Website: bad 49 → s50.com.au, applies']);
  await page.reload();
  await bar(page).getByText('1 cell corrected and saved').waitFor();
  expect(await undo.count()).toBe(0);
});

testInBrowser('name, reason and the value to fix are in sight together', async () => {
  for (const width of [390, 768, 1_280]) {
    const url = `${workbench.ui.url}#/result/other.yaml?fix=&status=invalid&status=not_found`;
    await using opened = await openPage(url, { width });
    const { page } = opened;
    // The reason is about the last column that can be fixed, and the keyboard starts there.
    const marked = line(page, 4).locator('[aria-invalid] .fixable');
    await marked.click();
    await page.getByRole('textbox', { name: 'Country, row 4' }).waitFor();
    const frame = await page.locator('.table-scroll').boundingBox();
    for (const one of [line(page, 4).getByText('Dora'), reasonOf(page, 4), input(page)]) {
      const box = await one.boundingBox();
      if (!box || !frame) throw new Error('it is shown');
      expect(box.x).toBeGreaterThanOrEqual(frame.x);
      expect(box.x + box.width).toBeLessThanOrEqual(frame.x + frame.width);
    }
    await page.keyboard.type('Australia');
    await verdict(page).getByText('AU: Australia').waitFor();
    const box = await page.locator('.verdict').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThanOrEqual(width);
    await page.keyboard.press('Escape');
    await page.locator('td.at').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  }
});

testInBrowser('corrections in a row are priced once, after a pause', async () => {
  const url = `${workbench.ui.url}#/result/paused.yaml?fix=&status=invalid&status=not_found`;
  await using opened = await openPage('about:blank');
  const { page } = opened;
  await page.clock.install();
  let plans = 0;
  page.on('request', (request) => {
    if (request.url().includes('of=fixes')) plans += 1;
  });
  await page.goto(url);
  await cellOf(page, 2, 'Website').locator('.fixable').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const number of [2, 3]) {
    await cellOf(page, number, 'Website').click();
    await page.clock.runFor(50);
    await input(page).fill(`s${number}.com.au`);
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => {
        await page.clock.runFor(20);
        return await bar(page).innerText();
      })
      .toContain(`${number - 1} cell`);
  }
  expect(plans).toBe(0);
  await page.clock.runFor(1_000);
  await expect.poll(() => plans).toBe(1);
});
