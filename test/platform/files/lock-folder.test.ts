import { expect, test } from 'vitest';
import { lockFolder } from '../../../src/platform/files/lock-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

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
