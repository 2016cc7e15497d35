import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { LedgerLost } from './ledger-lost.ts';
import { rescueLedger } from './rescue-ledger.ts';

/**
 * Makes a check that an open ledger is still at its path. A removed file would take answers that are
 * lost at its close, so all that is in it is written to a copy before the check throws.
 */
export function watchPlace(
  db: Database,
  path: string,
  rescueFolders: readonly string[],
): () => void {
  const opened = statSync(path);
  let lost: LedgerLost | undefined;
  return () => {
    // Every later write fails, too: the timeline ignores its errors, answers do not.
    if (lost) throw lost;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    const what = found ? 'was replaced by another file' : 'was removed';
    const rescuedTo = rescueLedger(db, { path, isTaken: found !== undefined }, rescueFolders);
    const where = rescuedTo === path ? 'it is back' : `all that was stored is in ${rescuedTo}`;
    lost = new LedgerLost(`${path} ${what} while it was in use; ${where}`, rescuedTo);
    throw lost;
  };
}
