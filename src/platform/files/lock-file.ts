import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../core/errors.ts';
import { retry } from '../retry.ts';

/** Locks by an exclusive transaction on an empty database, which ends with the process. */
export function tryLockFile(path: string, waitMs = 0): Disposable | undefined {
  for (;;) {
    const file = statOf(path);
    const db = new Database(path, { timeout: waitMs });
    const unlock = () => {
      // Remove the file before unlocking, so a process waiting for the lock sees that its file is gone.
      if (file && isAt(path, file)) rmSync(path, { force: true });
      db.close();
    };
    try {
      db.pragma('journal_mode = memory');
      db.exec('begin exclusive');
      // Unlocking removes the file, so it must be the same file before and after locking.
      if (file && isAt(path, file)) return { [Symbol.dispose]: unlock };
    } catch (error) {
      db.close();
      if (isSqliteBusy(error)) return undefined;
      throw error;
    }
    db.close();
  }
}

export function isFileLocked(path: string) {
  if (!statOf(path)) return false;
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, timeout: 0 });
    db.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isSqliteBusy(error)) return true;
    if (!statOf(path)) return false;
    throw error;
  } finally {
    db?.close();
  }
}

export function isAt(path: string, { dev, ino }: { dev: number; ino: number }): boolean {
  const current = statOf(path);
  return current?.ino === ino && current.dev === dev;
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}

const folderLockWaitMs = 60_000;

/** Two exports at once would leave a mix of files that matches no manifest. */
export async function lockFolder(
  folder: string,
  { waitMs = folderLockWaitMs, signal }: { waitMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<Disposable> {
  const busy = new DossierError('OUTPUT_BUSY', `another process is writing to ${folder}`);
  const attempt = () => {
    const lock = lockIfPossible(join(folder, '.dossier.lock'));
    if (!lock) throw busy;
    return lock;
  };
  const canRetry = (error: unknown) => error === busy;
  return await retry(attempt, { canRetry, waitMs: 100, untilMs: waitMs, signal });
}

/** If the lock file cannot be created, do without it: writing the outputs then reports why. */
function lockIfPossible(path: string): Disposable | undefined {
  try {
    return tryLockFile(path);
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}

export function isSqliteBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
}
