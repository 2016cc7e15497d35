import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensurePage } from '../../support/built-page.ts';
import { runDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const list = join(import.meta.dirname, '../../../fixtures/leads/leads.csv');

beforeAll(ensurePage, 60_000);

function demo(folder: string, env: Record<string, string>) {
  const places = ['--output', join(folder, 'out'), '--ledger', join(folder, 'ledger.db')];
  const args = ['run', list, '--url', 'embedded', '--limit', '3', '--open', ...places];
  return runDossier(args, { env });
}

test('run --open shows the run, or its report where it was over before', async () => {
  using folder = temporaryFolder();
  const opened = join(folder.path, 'opened.txt');
  const opener = join(folder.path, 'xdg-open');
  writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`);
  chmodSync(opener, 0o755);
  const { exitCode, stderr } = await demo(folder.path, {
    PATH: [folder.path, process.env.PATH].join(delimiter),
    DISPLAY: ':0',
  });
  expect(exitCode).toBe(0);
  const [, address = ''] = /^Live: (http:\S+)$/m.exec(stderr) ?? [];
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
  const read = () => existsSync(opened) && readFileSync(opened, 'utf8');
  await expect.poll(read, { timeout: 10_000 }).toBeTruthy();
  expect([address, join(folder.path, 'out/report.html')]).toContain(readFileSync(opened, 'utf8'));
});

test('without a display the address is told, and the run ends as always', async () => {
  using folder = temporaryFolder();
  const { exitCode, stderr } = await demo(folder.path, {});
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Live: http:\/\/127\.0\.0\.1:/m);
  expect(stderr).toContain('report.html');
});

test('after run --open the ledger file alone holds the run', async () => {
  using folder = temporaryFolder();
  await demo(folder.path, {});
  const copy = join(folder.path, 'copy.db');
  copyFileSync(join(folder.path, 'ledger.db'), copy);
  const { exitCode, stdout } = await runDossier(['status', 'leads', '--json', '--ledger', copy]);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"matched":')]);
});
