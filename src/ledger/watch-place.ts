import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import { makeLedgerFolder } from './make-folder.ts';

/**
 * Makes a check that an open ledger is still where it was. Removed, it would go on to take answers
 * that nobody finds again; so it is written back with all that is in it, and its user stops.
 */
export function watchPlace(db: Database, path: string): () => void {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    if (found) throw trouble(path, 'was replaced by another file while it was in use');
    makeLedgerFolder(dirname(path));
    db.prepare('vacuum into ?').run(path);
    throw trouble(path, 'was removed while it was in use; it is back, with everything in it');
  };
}

function trouble(path: string, what: string): DossierError {
  return new DossierError('LEDGER_TROUBLE', `${path} ${what}`);
}
