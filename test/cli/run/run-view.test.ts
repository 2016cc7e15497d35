import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openRunView } from '../../../src/cli/open-browser.ts';
import { ensurePages } from '../../support/built-page.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testJob } from '../../support/test-job.ts';

const list = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');

beforeAll(ensurePages, 60_000);
afterEach(() => vi.unstubAllEnvs());

function demo(folder: string, env: Record<string, string>, limit = 3) {
  const places = ['--output', join(folder, 'out'), '--ledger', join(folder, 'ledger.db')];
  const args = ['run', list, '--url', 'embedded', '--limit', `${limit}`, '--open', ...places];
  return runDossier(args, { env });
}

/** A fake browser that records the addresses it is asked to open. */
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

function jobIn(folder: string) {
  return testJob({ name: 'leads', ledger: join(folder, 'ledger.db') });
}

test('run --open ends with the report in the browser', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  const { exitCode } = await demo(folder.path, browser.env);
  expect(exitCode).toBe(0);
  const report = join(folder.path, 'out/try/report.html');
  await expect.poll(() => browser.opened().at(-1)).toBe(report);
});

test('the page of a long run shows its rows, whatever its flags were, and changes nothing', async () => {
  using folder = temporaryFolder();
  await demo(folder.path, {});
  const browser = idleBrowser(folder.path);
  for (const [name, value] of Object.entries(browser.env)) vi.stubEnv(name, value);
  const told = Promise.withResolvers<string>();
  const shown = { path: list, job: jobIn(folder.path) };
  await using view = openRunView(shown, told.resolve, 0);
  const [page = '', hash = ''] = (await told.promise).split('#');
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  expect(hash).toBe(`/result/${encodeURIComponent(list)}`);
  await expect.poll(browser.opened).toEqual([expect.stringMatching(/open\.html$/)]);
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
  for (const path of ['run', 'stop', 'accept', 'fixes/run', 'job', 'lists']) {
    expect((await ask(path, 'POST', {})).status, path).toBe(403);
  }
  expect((await ask('fixes', 'PUT', {})).status).toBe(403);
  await view[Symbol.asyncDispose]();
  await expect(ask('state')).rejects.toThrow('fetch failed');
});
