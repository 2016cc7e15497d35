import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openRunView } from '../../../src/cli/open-browser.ts';
import { ensurePages } from '../../support/built-page.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';

const list = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');

beforeAll(ensurePages);
afterEach(() => vi.unstubAllEnvs());

/** A fake browser that records the addresses it should open. */
function idleBrowser(folder: string) {
  const opened = join(folder, 'opened.txt');
  const opener = join(folder, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\necho "$1" >> '${opened}'\n`);
  chmodSync(opener, 0o755);
  return {
    env: { PATH: [folder, process.env.PATH].join(delimiter), DISPLAY: ':0' },
    opened: () => (existsSync(opened) ? readFileSync(opened, 'utf8').trim().split('\n') : []),
  };
}

test('run --open shows the report; the page of a long run is read-only and ends with it', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  const ledger = join(folder.path, 'ledger.db');
  const destination = ['--output', join(folder.path, 'out'), '--ledger', ledger];
  const args = ['run', list, '--url', 'embedded', '--limit', '3', '--open', ...destination];
  const { exitCode, stderr } = await runDossier(args, { env: browser.env });
  expect(exitCode, stderr).toBe(0);
  const report = join(folder.path, 'out/try/report.html');
  await expect.poll(() => browser.opened().at(-1)).toBe(report);

  for (const [name, value] of Object.entries(browser.env)) vi.stubEnv(name, value);
  const announced = Promise.withResolvers<string>();
  const shown = { path: list, job: testJob({ name: 'leads', ledger }) };
  await using view = openRunView(shown, announced.resolve, 0);
  const [page = '', hash = ''] = (await announced.promise).split('#');
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  expect(hash).toBe(`/result/${encodeURIComponent(list)}`);
  await expect.poll(() => browser.opened().at(-1)).toMatch(/open\.html$/);
  const ask = async (path: string, method = 'GET', body?: object) =>
    await fetch(`${page}api/${path}?job=${encodeURIComponent(list)}`, {
      method,
      headers: {
        origin: new URL(page).origin,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  expect(await (await ask('folder')).json()).toMatchObject({ isReadOnly: true });
  expect(await (await ask('state')).json()).toMatchObject({ run: { rows: { total: 3 } } });
  const rows = await ask('rows', 'POST', { limit: 2, columns: ['status'] });
  expect(await rows.json()).toMatchObject({ total: 3, rows: [{}, {}] });
  for (const path of ['run', 'stop', 'accept', 'fixes/verdict', 'lists']) {
    expect((await ask(path, 'POST', {})).status, path).toBe(403);
  }
  expect((await ask('fixes', 'PUT', {})).status).toBe(403);
  await view[Symbol.asyncDispose]();
  await expect(ask('state')).rejects.toThrow('fetch failed');
});
