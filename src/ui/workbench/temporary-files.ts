import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, outputError } from '../../platform/files/atomic-file.ts';

/** `dossier-ui-4711-aB3dE9`: the process id shows whether the owner is alive. */
const temporaryName = /^dossier-ui-(\d+)-\w+$/;

/** Only this user can read the folder. */
export function makeTemporaryFolder() {
  try {
    const path = mkdtempSync(join(tmpdir(), `dossier-ui-${process.pid}-`));
    return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
  } catch (error) {
    throw outputError(tmpdir(), error);
  }
}

/** Longer than any upload or download, even if the clocks of two machines differ. */
const leftAfterMs = 24 * 60 * 60_000;

const inFolder = /^\.(?:dossier-drop-.+|.+\.dossier-tmp)$/;

export function sweepLeftovers(folder: string): void {
  sweep(folder, (name) => inFolder.test(name));
  sweep(tmpdir(), (name) => {
    const [, owner] = temporaryName.exec(name) ?? [];
    return owner !== undefined && !isAlive(Number(owner));
  });
}

function sweep(folder: string, isLeftover: (name: string) => boolean) {
  for (const name of namesIn(folder).filter(isLeftover)) {
    const path = join(folder, name);
    try {
      const isOld = Date.now() - lstatSync(path).mtimeMs > leftAfterMs;
      if (isOld) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user or is gone.
    }
  }
}

function namesIn(folder: string) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
