import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAtomicFile, removeLeftovers } from '../../../src/platform/files/atomic-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a device or a pipe is never replaced by a file', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  await expect(openAtomicFile(path)).rejects.toMatchObject({
    code: 'OUTPUT_TROUBLE',
    message: `${path} is not a regular file`,
  });
});

test('temporary files of killed processes are cleaned, those in use and all others stay', async () => {
  using folder = temporaryFolder();
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  writeFileSync(join(folder.path, `.companies.csv.${dead}-1.dossier-tmp`), 'half');
  // In a container the run before had our process id.
  writeFileSync(join(folder.path, `.people.csv.${process.pid}-0.dossier-tmp`), 'half');
  writeFileSync(join(folder.path, `.people.csv.${process.ppid}-1.dossier-tmp`), 'alive');
  writeFileSync(join(folder.path, '.notes.tmp'), 'somebody else');
  const inUse = await openAtomicFile(join(folder.path, 'rejects.csv'));

  await removeLeftovers(folder.path);

  expect(readdirSync(folder.path).sort()).toEqual(
    [
      '.notes.tmp',
      `.people.csv.${process.ppid}-1.dossier-tmp`,
      expect.stringMatching(/^\.rejects\.csv\..*dossier-tmp$/),
    ].sort(),
  );
  await inUse.discard();
});
