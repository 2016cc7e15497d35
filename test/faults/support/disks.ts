import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Whether this user may mount a file system. */
export const canMount = (() => {
  using folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', 'none', folder.path]).status !== 0) return false;
  execFileSync('umount', [folder.path]);
  return true;
})();

export interface SmallDisk extends Disposable {
  /** Makes the disk larger. */
  grow(): void;
}

/** Mounts a disk of this size at a folder and copies the files of the folder onto it. */
export function mountSmallDisk(folder: string, kilobytes: number): SmallDisk {
  using aside = temporaryFolder();
  for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(aside.path, name));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'none', folder]);
  for (const name of readdirSync(aside.path)) {
    copyFileSync(join(aside.path, name), join(folder, name));
  }
  return {
    grow: () => void execFileSync('mount', ['-o', 'remount,size=64m', folder]),
    [Symbol.dispose]: () => void execFileSync('umount', ['-l', folder]),
  };
}
