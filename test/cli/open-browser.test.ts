import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensurePages } from '../support/built-page.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const list = join(import.meta.dirname, '../../fixtures/leads/leads.csv');

beforeAll(ensurePages);

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

test('run --open shows the report in the browser', async () => {
  using folder = temporaryFolder();
  const browser = idleBrowser(folder.path);
  const ledger = join(folder.path, 'ledger.db');
  const destination = ['--output', join(folder.path, 'out'), '--ledger', ledger];
  const args = ['run', list, '--url', 'embedded', '--limit', '3', '--open', ...destination];
  await succeeded(runDossier(args, { env: browser.env }));
  const report = join(folder.path, 'out/try/report.html');
  await expect.poll(() => browser.opened().at(-1)).toBe(report);
});
