import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { makeTemporaryFolder } from '../temporary-files.ts';
import { flatColumns } from './flat-row.ts';
import { type FlatTable, openFlatTable } from './flat-table.ts';

/** A flat table that is open, and how its file goes. */
export interface PlacedTable extends Disposable {
  readonly table: FlatTable;
  /** Closes it and removes it from the disk. */
  remove(): void;
}

/** The folder with the flat tables of a ledger's runs. Nothing is lost with it. */
const folderOf = (ledger: string) => `${ledger}-workbench`;

/**
 * Opens the flat table of a run beside its ledger. One that is damaged is made anew. Where nothing may be
 * written beside the ledger, or another process holds the file, it is a file of this process alone.
 */
export function placeTable(ledger: string, run: Run): PlacedTable {
  const path = join(folderOf(ledger), `${runName(run)}.db`);
  // Runs of another ledger that took the place of this one have the same numbers.
  const identity = JSON.stringify([run.id, run.job, run.startedAt, run.listId, run.columns]);
  const open = (at: string) => openFlatTable(at, identity, flatColumns(run.columns));
  try {
    mkdirSync(folderOf(ledger), { recursive: true, mode: 0o700 });
    return placed(openOrRenew(path, open), () => removeFiles(path));
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    const folder = makeTemporaryFolder();
    const remove = () => folder[Symbol.dispose]();
    try {
      return placed(open(join(folder.path, 'flat.db')), remove, remove);
    } catch (failed) {
      remove();
      throw failed;
    }
  }
}

function placed(table: FlatTable, removeFile: () => void, onClose = () => {}): PlacedTable {
  return {
    table,
    remove() {
      table[Symbol.dispose]();
      removeFile();
    },
    [Symbol.dispose]() {
      table[Symbol.dispose]();
      onClose();
    },
  };
}

function openOrRenew(path: string, open: (path: string) => FlatTable): FlatTable {
  try {
    return open(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeFiles(path);
    return open(path);
  }
}

function removeFiles(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${end}`, { force: true });
}

/** Removes the flat tables of runs that are not among these. */
export function removeOtherTables(ledger: string, runs: readonly Pick<Run, 'id'>[]): void {
  const kept = new Set(runs.map(runName));
  for (const name of filesIn(folderOf(ledger))) {
    const [, run] = /^(r\d+)\.db(?:-wal|-shm|-journal)?$/.exec(name) ?? [];
    if (run === undefined || kept.has(run)) continue;
    rmSync(join(folderOf(ledger), name), { force: true });
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

/** Whether the bytes of a flat table are not what was written. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB|ERROR|MISMATCH|FORMAT)/.test(codeOf(error));
}

/** Whether the table has to be in another place. */
function isElsewhere(error: unknown): boolean {
  return /^(?:SQLITE_(?:BUSY|CANTOPEN|READONLY|PERM|LOCKED)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST)/.test(
    codeOf(error),
  );
}
