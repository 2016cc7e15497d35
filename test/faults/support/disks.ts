import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { StartOptions } from './world.ts';

/** Whether this user may mount a file system here. */
export const canMount = (() => {
  using folder = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', 'none', folder.path]).status !== 0) return false;
  execFileSync('umount', [folder.path]);
  return true;
})();

export interface SmallDisk extends Disposable {
  /** Makes room. */
  grow(): void;
}

/** Puts a disk of this size under a folder, and its files onto it. */
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

/** A folder that nobody may write to, not even root, until it is disposed of. */
export function makeReadOnly(folder: string): Disposable {
  mkdirSync(folder, { recursive: true });
  if (!canMount) {
    chmodSync(folder, 0o555);
    return { [Symbol.dispose]: () => chmodSync(folder, 0o755) };
  }
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', folder]);
  return { [Symbol.dispose]: () => void execFileSync('umount', [folder]) };
}

/** Options that let no file of the process grow over a size. */
export function withFilesUpTo(kilobytes: number): StartOptions {
  // POSIX counts in blocks of 512 bytes.
  return { under: ['sh', '-c', `ulimit -f ${kilobytes * 2}; exec "$@"`, 'sh'] };
}
