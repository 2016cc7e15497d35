import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { makeLedgerFolder } from './make-folder.ts';

/**
 * Makes a check that an open ledger is still at its path. A removed file would take answers that are
 * lost at its close, so it is written back with all that is in it, and the run stops.
 */
export function watchPlace(db: Database, path: string): () => void {
  const opened = statSync(path);
  let lost: DossierError | undefined;
  return () => {
    // Every later write fails, too: the timeline ignores its errors, answers do not.
    if (lost) throw lost;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    if (found) {
      lost = trouble(path, 'was replaced by another file while it was in use');
      throw lost;
    }
    makeLedgerFolder(dirname(path));
    db.prepare('vacuum into ?').run(path);
    lost = trouble(path, 'was removed while it was in use; it is back, with all that was stored');
    throw lost;
  };
}

function trouble(path: string, what: string): DossierError {
  return new DossierError('LEDGER_TROUBLE', `${path} ${what}`);
}
