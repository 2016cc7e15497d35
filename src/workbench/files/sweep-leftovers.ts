import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryFolderName } from './temporary-folder.ts';

/** No upload, download or start takes so long; another machine on the same folder may have a slow clock. */
const leftAfterMs = 24 * 60 * 60_000;

/** A list that was on its way, or a file that was being written. */
const inFolder = /^\.(?:dossier-drop-.+|.+\.dossier-tmp)$/;

/** Removes what killed processes have left in the folder of the workbench and among temporary files. */
export function sweepLeftovers(folder: string, now = Date.now()): void {
  sweep(folder, now, (name) => inFolder.test(name));
  sweep(tmpdir(), now, (name) => {
    const [, owner] = temporaryFolderName.exec(name) ?? [];
    return owner !== undefined && !isAlive(Number(owner));
  });
}

function sweep(folder: string, now: number, isLeftover: (name: string) => boolean): void {
  for (const name of namesIn(folder).filter(isLeftover)) {
    const path = join(folder, name);
    try {
      if (now - lastChange(path) > leftAfterMs) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or is gone: nothing depends on its removal.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Of a folder, that of the file in it that was written last. */
function lastChange(path: string): number {
  const facts = lstatSync(path);
  const inside = facts.isDirectory() ? namesIn(path) : [];
  return Math.max(facts.mtimeMs, ...inside.map((name) => lstatSync(join(path, name)).mtimeMs));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
