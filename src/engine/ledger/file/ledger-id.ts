import type { Database } from 'better-sqlite3';

/** Destinations take runs of one ledger by their number, so no two ledgers may share an id. */
export function readLedgerId(db: Database): string {
  return db.prepare<[], string>('select id from identity where only_row = 1').pluck().get() ?? '';
}

/** For a copy that goes on by itself: its next runs have numbers that the original also uses. */
export function renewLedgerId(db: Database): void {
  db.exec('update identity set id = lower(hex(randomblob(16)))');
}
