import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { looks, savePicture } from './save-picture.ts';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'src/main.ts');
const key = 'a-key-for-pictures';
const patient = { timeout: 60_000 };

/** Every view of the workbench over a list that has run before and has grown since. */
export async function saveWorkbenchPictures(browser: Browser, folder: string): Promise<void> {
  const leads = join(folder, 'leads');
  mkdirSync(leads);
  await using service = await start(['serve', '--port', '0', '--key', key], folder);
  const env = {
    DOSSIER_URL: service.firstLine.replace('DOSSIER_URL=', ''),
    DOSSIER_API_KEY: key,
    // Not the ledger of whoever makes the pictures.
    DOSSIER_LEDGER: join(leads, 'output/ledger.db'),
  };
  writeLists(leads, 150);
  execFileSync(process.execPath, [main, 'run', 'crm.yaml'], {
    ...{ cwd: leads, stdio: 'ignore', env: { ...process.env, ...env } },
  });
  writeLists(leads);
  await using ui = await start(['ui', leads, '--no-open'], folder, env);
  const pages = await Promise.all(looks.map(({ name: _, ...look }) => browser.newPage(look)));
  const save = async (view: string, hash: string, isReady: (page: Page) => Promise<void>) => {
    for (const [at, page] of pages.entries()) {
      await page.goto(`${ui.firstLine}${hash}`);
      await isReady(page);
      await page.locator('.band').waitFor(patient);
      await savePicture(page, `workbench-${view}-${looks[at]?.name}`);
    }
  };
  const runButton = (page: Page) => page.getByRole('button', { name: /^Run · (?!counting)/ });
  const isDone = async (page: Page) => {
    await page.getByRole('heading', { name: /^204 rows done · \d+ found/ }).waitFor(patient);
    await page.getByRole('link', { name: 'Run again …' }).waitFor(patient);
  };
  const run = async (page: Page) => {
    await runButton(page).click();
    await page.waitForURL('**/#/result/crm.yaml', patient);
    await isDone(page);
  };
  await save('read', '#/read/crm.yaml', (page) => runButton(page).waitFor(patient));
  await Promise.all(pages.slice(0, 1).map(run));
  const row = '#/result/crm.yaml?row=4';
  await save('result', row, async (page) => {
    // The filters follow the run by a moment.
    await page
      .getByText('Still open')
      .first()
      .waitFor({ ...patient, state: 'detached' });
    await isDone(page);
    await page.getByText('What found the companies').waitFor(patient);
    // On a phone the filters are folded away.
    await page
      .locator('.facets .check')
      .first()
      .waitFor({ ...patient, state: 'attached' });
    await page.getByRole('heading', { name: 'Looked up' }).waitFor(patient);
  });
  await save('history', '#/history', async (page) => {
    for (const id of ['r1', 'r2']) await page.getByLabel(`Compare ${id}`).check(patient);
    await page.getByRole('heading', { name: /changes? since/ }).waitFor(patient);
  });
  await save('settings', '#/settings/crm.yaml', async (page) => {
    await page.getByLabel('Price per company').waitFor(patient);
  });
  await save('lists', '', async (page) => {
    await page.getByText(/^Fix \d/).waitFor(patient);
  });
}

/** A list of the fixtures, or its first lines, and another that has not run. */
function writeLists(folder: string, rows?: number): void {
  const lines = readFileSync(join(root, 'fixtures/leads/leads.csv'), 'utf8').split('\n');
  writeFileSync(join(folder, 'crm.csv'), lines.slice(0, rows).join('\n'));
  copyFileSync(join(root, 'fixtures/leads/leads.xlsx'), join(folder, 'march.xlsx'));
  const job = [
    'name: crm',
    'input: { path: crm.csv }',
    'service: { price: { company: 0.12, people: 0.02, currency: AUD } }',
    'people: { seniority: [C-Suite], maxPerCompany: 20 }',
    'limits: { rate: 25 }',
  ];
  writeFileSync(join(folder, 'crm.yaml'), `${job.join('\n')}\n`);
}

interface Started extends AsyncDisposable {
  readonly firstLine: string;
}

/** Starts a command that goes on, and waits for the address that it prints. */
async function start(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child: ChildProcess = spawn(process.execPath, [main, ...words], {
    ...{ cwd, env: { ...process.env, ...env } },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (!child.stdout) throw new Error('the command prints nothing');
  const [firstLine] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    firstLine,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
