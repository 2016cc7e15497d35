import { expect } from 'vitest';
import { openPage, testInBrowser } from '../support/browser.ts';
import { openUiHere } from '../support/open-ui.ts';
import { openFolder } from '../ui/workbench/support/workbench-folder.ts';

testInBrowser('a connection is tested only as it is saved', async () => {
  const unknown = { status: 401, body: '{"error":40102,"message":"This key is unknown."}' };
  await using folder = await openFolder(() => unknown);
  folder.write('leads.csv', 'Website\nacme.com.au\n');
  folder.write(
    'leads.yaml',
    'name: leads\nservice: { url: embedded }\ninput: { path: leads.csv }\n',
  );
  await using ui = await openUiHere(folder.path, { XDG_CONFIG_HOME: folder.path });
  await using opened = await openPage(`${ui.url}#/settings/leads.yaml`);
  const { page } = opened;
  const access = page.getByRole('form', { name: 'Access to the service' });
  const test = access.getByRole('button', { name: 'Test connection' });
  await access.getByLabel('URL').fill(folder.env.DOSSIER_URL ?? '');
  await test.click();
  await access.getByText('Not tested: save the URL and key first.').waitFor();
  expect(await access.getByText('✓').count()).toBe(0);

  await access.getByLabel('API key').fill('wrong');
  await access.getByRole('button', { name: 'Save key' }).click();
  await access.getByText('Saved for you alone').waitFor();
  await test.click();
  const said = access.getByText('✗ service:');
  await said.waitFor();
  expect(await said.innerText()).toMatch(
    /This key is unknown\. Enter it again above and press Save key\.$/,
  );
});
