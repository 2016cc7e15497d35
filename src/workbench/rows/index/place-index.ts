import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runName } from '../../../ledger/runs/runs.ts';
import { makeTemporaryFolder } from '../../files/temporary-folder.ts';
import { type IndexFile, type IndexOwner, openIndexFile } from './index-file.ts';

/** An index file that is open, and what is left to do when it is closed. */
export interface PlacedIndex extends Disposable {
  readonly file: IndexFile;
  /** Closes it and removes it from the disk. */
  remove(): void;
}

/** The folder with the indexes of a ledger's runs. Nothing is lost with it. */
function indexFolder(ledger: string): string {
  return `${ledger}-workbench`;
}

/**
 * Opens the index of a run beside its ledger. One that is damaged is made anew. Where nothing may be
 * written beside the ledger, or another process holds the file, it is a file of this process alone.
 */
export function placeIndex(ledger: string, run: Run): PlacedIndex {
  const path = join(indexFolder(ledger), `${runName(run)}.db`);
  // Runs of another ledger that took the place of this one have the same numbers.
  const identity = JSON.stringify([run.id, run.job, run.startedAt, run.listId, run.columns]);
  const owner = { identity, width: run.columns.length };
  try {
    mkdirSync(indexFolder(ledger), { recursive: true, mode: 0o700 });
    return placed(openOrRenew(path, owner), () => removeFiles(path));
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    const folder = makeTemporaryFolder();
    try {
      const file = openIndexFile(join(folder.path, 'index.db'), owner);
      const close = () => {
        file[Symbol.dispose]();
        folder[Symbol.dispose]();
      };
      return { file, remove: close, [Symbol.dispose]: close };
    } catch (failed) {
      folder[Symbol.dispose]();
      throw failed;
    }
  }
}

function placed(file: IndexFile, removeFile: () => void): PlacedIndex {
  return {
    file,
    remove() {
      file[Symbol.dispose]();
      removeFile();
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

function openOrRenew(path: string, owner: IndexOwner): IndexFile {
  try {
    return openIndexFile(path, owner);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeFiles(path);
    return openIndexFile(path, owner);
  }
}

function removeFiles(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/** Removes the indexes of runs that are not among these. */
export function removeOtherIndexes(ledger: string, runs: readonly Pick<Run, 'id'>[]): void {
  const kept = new Set(runs.map(runName));
  for (const name of filesIn(indexFolder(ledger))) {
    const [, run] = /^(r\d+)\.db(?:-wal|-shm|-journal)?$/.exec(name) ?? [];
    if (run === undefined || kept.has(run)) continue;
    rmSync(join(indexFolder(ledger), name), { force: true });
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const codeOf = (error: unknown) => String((error as { code?: unknown }).code);

/** Whether the bytes of an index are not what was written. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB|ERROR|MISMATCH|FORMAT)/.test(codeOf(error));
}

/** Whether the index has to be in another place. */
function isElsewhere(error: unknown): boolean {
  return /^(?:SQLITE_(?:BUSY|CANTOPEN|READONLY|PERM|LOCKED)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST)/.test(
    codeOf(error),
  );
}
