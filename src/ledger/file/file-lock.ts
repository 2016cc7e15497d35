import { rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from './ledger-trouble.ts';

/** A lock that dies with its process, however that ends. */
export interface FileLock extends Disposable {
  /** Takes the lock anew where its file was removed. False where another process was faster. */
  keep(): boolean;
}

interface HeldFile {
  readonly db: Database.Database;
  readonly file: FileIdentity;
}

interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/**
 * Locks a file: an exclusive transaction on an empty database at this path. The file is removed when
 * the lock is given back. Undefined while another process holds the lock.
 */
export function tryLockFile(path: string, waitMs = 0): FileLock | undefined {
  const taken = hold(path, waitMs);
  if (!taken) return undefined;
  let held = taken;
  return {
    keep() {
      if (isAt(path, held.file)) return true;
      const renewed = hold(path, 0);
      if (!renewed) return false;
      held.db.close();
      held = renewed;
      return true;
    },
    [Symbol.dispose]() {
      // A process that waits for this lock finds, once it has it, that the file is not at its path.
      if (isAt(path, held.file)) rmSync(path, { force: true });
      held.db.close();
    },
  };
}

/** Whether a process holds the lock now. Looks without leaving anything behind. */
export function isFileLocked(path: string): boolean {
  if (!identityOf(path)) return false;
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, timeout: 0 });
    db.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // The lock was given back in between.
    if (!identityOf(path)) return false;
    throw error;
  } finally {
    db?.close();
  }
}

/** The locked file is the one at the path only if the same file was there before and afterwards. */
function hold(path: string, waitMs: number): HeldFile | undefined {
  for (;;) {
    const before = identityOf(path);
    const db = new Database(path, { timeout: waitMs });
    try {
      // Nothing is ever written, so there is nothing to roll back and no file for that.
      db.pragma('journal_mode = memory');
      db.exec('begin exclusive');
      if (before && isAt(path, before)) return { db, file: before };
    } catch (error) {
      db.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    db.close();
  }
}

function isAt(path: string, { dev, ino }: FileIdentity): boolean {
  const found = identityOf(path);
  return found?.ino === ino && found.dev === dev;
}

function identityOf(path: string): FileIdentity | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
