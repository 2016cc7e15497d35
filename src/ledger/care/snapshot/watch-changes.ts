import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { realLedgerPath } from '../../file/real-path.ts';

/** Tells whether anybody has written to a ledger since. A ledger that was not there has changed when it is. */
export function watchChanges(given: string): { hasChanged(): boolean } & Disposable {
  const path = realLedgerPath(given);
  const db = existsSync(path) ? new Database(path, { readonly: true }) : undefined;
  const version = () => db?.pragma('data_version', { simple: true });
  const before = version();
  return {
    hasChanged: () => (db ? version() !== before : existsSync(path)),
    [Symbol.dispose]: () => void db?.close(),
  };
}
