import { rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder } from '../../../runtime/files/atomic-file.ts';
import { withTrouble } from '../../file/ledger-trouble.ts';
import { realLedgerPath, refuseSecondName } from '../../file/real-path.ts';

/** Puts a whole copy in the place of a ledger. A kill at any step leaves either the old one or the new. */
export async function placeLedger(copy: string, given: string): Promise<void> {
  const path = realLedgerPath(given);
  foldLog(path);
  await rename(copy, path);
  await syncFolder(dirname(path));
}

/** The log of the old ledger would be read into the new one, so it is folded into its own file first. */
function foldLog(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) {
    // SQLite itself removes a log without a ledger.
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    return;
  }
  withTrouble(path, () => {
    refuseSecondName(path);
    const db = new Database(path, { timeout: 5_000, fileMustExist: true });
    try {
      // Refused while any other process has the ledger open.
      db.pragma('journal_mode = delete');
    } finally {
      db.close();
    }
  });
}
