import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MadeJob, Settings } from '../../../src/ui/workbench/api.ts';
import type { ServiceCheck } from '../../../src/ui/workbench/service-key.ts';
import { openUiHere } from '../../support/open-ui.ts';
import { openFolder } from './support/workbench-folder.ts';

const entered = 'a-key-entered-on-the-page';

test('a key entered on the page is a file of the user alone, which the job names, and is tested', async () => {
  await using folder = await openFolder();
  const config = join(folder.path, 'config');
  mkdirSync(config);
  folder.write('leads.csv', 'Website\nacme.com.au\n');
  // Nothing in the terminal names a service.
  await using ui = await openUiHere(folder.path, { XDG_CONFIG_HOME: config });
  const url = folder.env.DOSSIER_URL ?? '';
  const query = { job: 'leads.csv' };
  const put = (body: object) => ui.ask<MadeJob>('key', { method: 'PUT', query, body });

  const bad = await put({ url, key: 'two words' });
  expect(bad.status).toBe(400);
  expect(JSON.stringify(bad.body)).not.toContain('two words');

  expect((await put({ url, key: entered })).body).toEqual({ job: 'leads.yaml' });
  // The next key needs no URL.
  const again = { method: 'PUT', query: { job: 'leads.yaml' }, body: { key: entered } };
  expect((await ui.ask('key', again)).status).toBe(200);
  const [file = ''] = readdirSync(join(config, 'dossier/keys'));
  const path = join(config, 'dossier/keys', file);
  expect(readFileSync(path, 'utf8')).toBe(`${entered}\n`);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  const job = readFileSync(join(folder.path, 'leads.yaml'), 'utf8');
  expect(job).toContain(`keyFile: ${path}`);
  expect(job).not.toContain(entered);
  const settings = await ui.answer<Settings>('settings', { query: { job: 'leads.yaml' } });
  expect(settings.service).toMatchObject({ isSample: false, hasKey: true, overrides: [] });
  expect(JSON.stringify(settings)).not.toContain(entered);

  const asked = { method: 'POST', query: { job: 'leads.yaml' } };
  const checks = await ui.answer<ServiceCheck>('check', asked);
  expect(checks.map(({ part }) => part)).toEqual(['job', 'key', 'service']);
  expect(JSON.stringify(checks)).not.toContain(entered);
});

test('a refused key is to be entered again, unless the terminal sets another one', async () => {
  const unknown = { status: 401, body: '{"error":40102,"message":"This key is unknown."}' };
  await using folder = await openFolder(() => unknown);
  const { DOSSIER_URL = '' } = folder.env;
  folder.write('k.key', `${entered}\n`);
  const service = `service: { url: '${DOSSIER_URL}', keyFile: k.key }`;
  folder.write('leads.csv', 'Website\nacme.com.au\n');
  folder.write('leads.yaml', `name: leads\n${service}\ninput: { path: leads.csv }\n`);
  const check = { method: 'POST', query: { job: 'leads.yaml' } };
  const remedyIn = async (env: Record<string, string>) => {
    await using ui = await openUiHere(folder.path, env);
    const checks = await ui.answer<ServiceCheck>('check', check);
    return checks.find(({ isFailed }) => isFailed)?.remedy;
  };
  expect(await remedyIn({})).toBe('Enter it again above and press Save key.');
  expect(await remedyIn(folder.env)).toContain('Set its variable in the terminal');
});
