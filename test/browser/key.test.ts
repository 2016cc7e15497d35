import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fallbackUrlVariable } from '../../src/core/values/variables.ts';
import { openPage, testInBrowser } from '../support/browser.ts';
import { openUiHere } from '../support/open-ui.ts';
import { openFolder } from '../ui/workbench/support/workbench-folder.ts';

testInBrowser('a service is entered, priced and tested in Settings', async () => {
  const unknown = { status: 401, body: '{"error":40102,"message":"This key is unknown."}' };
  let answer = { status: 404, body: '<html>' };
  await using folder = await openFolder(() => answer);
  folder.write('leads.csv', 'Website\nacme.com.au\n');
  folder.write(
    'leads.yaml',
    'name: leads\nservice: { url: embedded }\ninput: { path: leads.csv }\n',
  );
  folder.write('more.yaml', 'name: more\nservice: { url: embedded }\ninput: { path: leads.csv }\n');
  await using ui = await openUiHere(folder.path, { XDG_CONFIG_HOME: folder.path });
  await using opened = await openPage(`${ui.url}#/settings/leads.yaml`);
  const { page } = opened;
  const access = page.getByRole('form', { name: 'Access to the service' });
  await access.getByLabel('URL').fill(folder.env.DOSSIER_URL ?? '');
  await access.getByLabel('API key').fill('wrong');
  await access.getByRole('button', { name: 'Save key' }).click();
  await page.getByText('Saved in a file that only you can read.').waitFor();
  const main = page.getByRole('group', { name: 'Service main' });
  await main.getByLabel('Price per company').fill('0,12');
  await main.getByLabel('Price per company').press('Enter');
  const test = main.getByRole('button', { name: /^Test connection/ });
  await test.click();
  await main.getByText(/^Enter the URL of the service, such as/).waitFor();
  answer = unknown;
  await test.click();
  await main.getByText('This key is unknown.').waitFor();
  expect(await main.innerText()).toMatch(/This key is unknown\.\s+Enter the key again above\./);

  // Another list needs no second entry.
  await page.goto(`${ui.url}#/settings/more.yaml`);
  await page.getByRole('button', { name: 'Use main for this list' }).click();
  await page.getByText('Saved in more.yaml.').waitFor();
  expect(readFileSync(join(folder.path, 'more.yaml'), 'utf8')).toContain('service: main');
});

testInBrowser('only the lists with sample data are called so', async () => {
  await using folder = await openFolder();
  folder.write('leads.csv', 'Website\nacme.com.au\n');
  const job = (name: string, url: string) =>
    folder.write(
      `${name}.yaml`,
      `name: ${name}\nservice: { url: '${url}' }\ninput: { path: leads.csv }\n`,
    );
  job('one', 'embedded');
  job('two', 'embedded');
  await using ui = await openUiHere(folder.path, { [fallbackUrlVariable]: 'embedded' });
  await using opened = await openPage(ui.url);
  const { page } = opened;
  const banner = page.getByText('These are not your companies.');
  await banner.waitFor();
  expect(await page.getByText('sample data', { exact: true }).count()).toBe(0);

  job('two', folder.env.DOSSIER_URL ?? '');
  await page.reload();
  const tags = page.locator('.list-card', { hasText: 'sample data' }).getByRole('heading');
  await tags.waitFor();
  expect(await tags.allInnerTexts()).toEqual(['one sample data']);
  for (const view of ['Lists', 'History', 'Settings']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.locator('h1').first().waitFor();
    expect(await banner.count()).toBe(0);
  }
});
