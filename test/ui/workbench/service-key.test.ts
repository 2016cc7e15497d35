import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MadeJob, RunPlan, Settings } from '../../../src/ui/workbench/api/answers.ts';
import { openUiHere } from '../../support/open-ui.ts';
import { openFolder } from './support/workbench-folder.ts';

const entered = 'a-key-entered-on-the-page';

test('a service entered on the page serves the next list, and its key is a file of the user alone', async () => {
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
  const body = { key: entered, name: 'main' };
  const again = { method: 'PUT', query: { job: 'leads.yaml' }, body };
  expect((await ui.ask('key', again)).status).toBe(200);
  const [file = ''] = readdirSync(join(config, 'dossier/keys'));
  const path = join(config, 'dossier/keys', file);
  expect(readFileSync(path, 'utf8')).toBe(`${entered}\n`);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(readFileSync(join(folder.path, 'leads.yaml'), 'utf8')).toContain('\nservice: main\n');
  const services = readFileSync(join(config, 'dossier/services.yaml'), 'utf8');
  expect(services).toContain(`url: ${url}\n    keyFile: ${path}`);
  expect(services).not.toContain(entered);
  const price = { company: 0.12, people: null, currency: 'AUD' };
  const named = { method: 'PATCH', query: { job: 'leads.yaml' }, body: { name: 'main', price } };
  expect((await ui.ask('services', named)).status).toBe(200);
  folder.write('next.csv', 'Website\nacme.com.au\n');
  const next = { query: { job: 'next.csv' } };
  const known = await ui.answer<RunPlan>('plan', next);
  expect(known).toMatchObject({ sampleData: false, price: { most: 0.24, currency: 'AUD' } });
  const settings = await ui.answer<Settings>('settings', { query: { job: 'leads.yaml' } });
  expect(settings.service).toMatchObject({ isSample: false, hasKey: true, overrides: [] });
  expect(JSON.stringify(settings)).not.toContain(entered);
});
