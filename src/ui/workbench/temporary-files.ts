import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputTrouble } from '../../core/runtime/files/atomic-file.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** `dossier-ui-4711-aB3dE9`: the process id tells whether its owner is still alive. */
const temporaryName = /^dossier-ui-(\d+)-\w+$/;

/** A folder that only this user can read. */
export function makeTemporaryFolder(): TemporaryFolder {
  try {
    const path = mkdtempSync(join(tmpdir(), `dossier-ui-${process.pid}-`));
    return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
  } catch (error) {
    throw outputTrouble(tmpdir(), error);
  }
}

/** No upload, download or start takes a day; another machine on the same folder may have a slow clock. */
const leftAfterMs = 24 * 60 * 60_000;

/** A list that was being received, or a file that was being written. */
const inFolder = /^\.(?:dossier-drop-.+|.+\.dossier-tmp)$/;

/** Removes what killed processes have left in the folder of the workbench and among temporary files. */
export function sweepLeftovers(folder: string, now = Date.now()): void {
  sweep(folder, now, (name) => inFolder.test(name));
  sweep(tmpdir(), now, (name) => {
    const [, owner] = temporaryName.exec(name) ?? [];
    return owner !== undefined && !isAlive(Number(owner));
  });
}

function sweep(folder: string, now: number, isLeftover: (name: string) => boolean): void {
  for (const name of namesIn(folder).filter(isLeftover)) {
    const path = join(folder, name);
    try {
      if (now - lastChange(path) > leftAfterMs) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user or is gone; nothing depends on its removal.
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

/** For a folder, the time of its newest file. */
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
