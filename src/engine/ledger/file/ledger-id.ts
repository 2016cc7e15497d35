import type { Database } from 'better-sqlite3';

/** Destinations take runs of one ledger by their number, so no two ledgers may share an id. */
export function readLedgerId(db: Database): string {
  return db.prepare<[], string>('select id from identity where only_row = 1').pluck().get() ?? '';
}

/**
 * For a copy that goes on by itself: its next runs have numbers that the original also uses. A
 * ledger of 0.9.0 gets its id when it is upgraded.
 */
export function renewLedgerId(db: Database): void {
  if (!db.prepare(`select 1 from sqlite_schema where name = 'identity'`).get()) return;
  db.exec('update identity set id = lower(hex(randomblob(16)))');
}
