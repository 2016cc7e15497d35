import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputTrouble } from '../../runtime/files/atomic-file.ts';

export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/** `dossier-ui-4711-aB3dE9`: tells whose it is, so that what a killed process leaves can be removed. */
export const temporaryFolderName = /^dossier-ui-(\d+)-\w{6}$/;

/** A folder that only this user can read, for what the workbench keeps for a while. */
export function makeTemporaryFolder(): TemporaryFolder {
  const path = tryToMake();
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function tryToMake(): string {
  try {
    return mkdtempSync(join(tmpdir(), `dossier-ui-${process.pid}-`));
  } catch (error) {
    throw outputTrouble(tmpdir(), error);
  }
}
