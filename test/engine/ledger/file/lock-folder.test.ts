import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lockFolder } from '../../../../src/engine/ledger/file/locks.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a folder that another process writes to is waited for, and then refused', async () => {
  using folder = temporaryFolder();
  {
    using _first = await lockFolder(folder.path);
    await expect(lockFolder(folder.path, { waitMs: 150 })).rejects.toMatchObject({
      code: 'OUTPUT_BUSY',
    });
  }
  using _second = await lockFolder(folder.path, { waitMs: 0 });
});

test('a signal ends the waiting for a folder', async () => {
  using folder = temporaryFolder();
  using _first = await lockFolder(folder.path);
  const enough = new Error('enough');
  const signal = AbortSignal.abort(enough);
  await expect(lockFolder(folder.path, { waitMs: 5_000, signal })).rejects.toBe(enough);
});

test('a folder holds nothing of its lock afterwards, and one that cannot hold it is not locked', async () => {
  using folder = temporaryFolder();
  (await lockFolder(folder.path))[Symbol.dispose]();
  expect(readdirSync(folder.path)).toEqual([]);
  using _absent = await lockFolder(`${folder.path}/absent`);
});
