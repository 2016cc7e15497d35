import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { withTrouble } from './ledger-trouble.ts';
import { bringUpToDate, refuseForeign } from './prepare-file.ts';
import { realLedgerPath, refuseSecondName } from './real-path.ts';
import { refuseCutShort } from './refuse-cut-short.ts';

/** The file of a ledger, open to be read. */
export interface FileToRead extends Disposable {
  readonly db: Database.Database;
  readonly path: string;
}

/**
 * Opens the file of a ledger to read, also while a run goes on: nothing is written, made or migrated.
 * Undefined where there is no ledger yet.
 */
export function openFileToRead(given: string): FileToRead | undefined {
  const path = realLedgerPath(given);
  if (!existsSync(path)) return undefined;
  return withTrouble(path, () => {
    refuseSecondName(path);
    const db = new Database(path, { readonly: true, timeout: 60_000 });
    // Readers go from the beginning to the end, so 1 MiB of cache is as good as the usual 16.
    db.pragma('cache_size = -1000');
    try {
      if (refuseForeign(db, path)) {
        db.close();
        return undefined;
      }
      refuseCutShort(db, path);
      bringUpToDate(db, path);
      return { db, path, [Symbol.dispose]: () => void db.close() };
    } catch (error) {
      db.close();
      if (!isRefusedWrite(error)) throw error;
      const message = `${path} is of an older version; the next run brings it up to date`;
      throw new DossierError('LEDGER_TROUBLE', message, { cause: error });
    }
  });
}

/** A reader writes only where a migration is missing. */
function isRefusedWrite(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_READONLY';
}
