import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { openStagingFolder } from '../../../src/sinks/upload/prepare-upload.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('what a killed process has left beside the ledger goes, and the folders of others stay', async () => {
  using folder = temporaryFolder();
  const ledger = join(folder.path, 'ledger.db');
  const left = `${ledger}-upload-0b5f3ac8-7a3e-4d6e-9a51-3f1c6f0f7f10`;
  const mine = `${ledger}-upload-notes`;
  for (const path of [left, mine]) {
    mkdirSync(path);
    writeFileSync(join(path, 'companies.csv'), 'half');
  }
  const inUse = await openStagingFolder(ledger);
  const long = new Date('2026-08-22T04:00:00.000Z');
  for (const path of [left, mine, dirname(inUse.path)]) utimesSync(path, long, long);
  await (await openStagingFolder(ledger))[Symbol.asyncDispose]();
  expect(readdirSync(folder.path).sort()).toEqual(
    [basename(dirname(inUse.path)), basename(mine)].sort(),
  );
  await inUse[Symbol.asyncDispose]();
  expect(readdirSync(folder.path)).toEqual([basename(mine)]);
});
