import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runDossier, succeeded } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a run that a clock stopped names the whole command that goes on, as does its plan', async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, 'my leads.csv'), 'website\nunknown.com.au\n');
  const flags = ['my leads.csv', '--url', 'embedded', '--ledger', 'l.db'];
  const dossier = (name: string, ...more: string[]) =>
    runDossier([name, ...flags, ...more], { cwd: folder.path });
  await succeeded(dossier('run'));
  const ledger = new Database(join(folder.path, 'l.db'));
  ledger.exec('update start set started_at = started_at + 30 * 86400000');
  ledger.close();

  const command = `  dossier run 'my leads.csv' --url embedded --ledger l.db --accept clock\n`;
  const stopped = await dossier('run');
  expect(stopped.exitCode).toBe(4);
  expect(stopped.stderr).toContain('CLOCK_AHEAD: the last start on this ledger was at ');
  expect(stopped.stderr).toContain(command);
  expect((await dossier('plan')).stderr).toContain(command);
  const { stdout } = await dossier('check', '--json');
  expect(JSON.parse(stdout).checks).toContainEqual(
    expect.objectContaining({ code: 'CLOCK_AHEAD', remedy: expect.stringContaining(command) }),
  );
  await succeeded(dossier('run', '--accept', 'clock'));
  await succeeded(dossier('run'));
});
