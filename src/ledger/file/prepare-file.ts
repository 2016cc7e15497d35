import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { migrate } from '../../runtime/migrate.ts';
import { temporary } from './ledger-trouble.ts';
import { realLedgerPath } from './real-path.ts';
import { refuseCutShort } from './refuse-cut-short.ts';

/** Marks the file as a ledger, so that no other database is taken for one. */
const applicationId = 0x44_6f_73_73;

/** Makes a new file a ledger, and brings an older one up to date. */
export function prepareFile(db: Database, path: string, { mustExist = false } = {}): void {
  // First of all: the settings below would stay in a database that is no ledger.
  const isNew = refuseForeign(db, path);
  if (isNew && mustExist) throw emptyLedger(path);
  if (path !== temporary) refuseCutShort(db, path);
  if (path === temporary) db.pragma('synchronous = off');
  else makeDurable(db, path);
  if (isNew) db.pragma(`application_id = ${applicationId}`);
  bringUpToDate(db, path);
}

export function bringUpToDate(db: Database, path: string): void {
  if (migrate(db, join(import.meta.dirname, '../migrations'))) return;
  throw new DossierError('LEDGER_NEWER', `${path} has a schema that this version does not know`);
}

/** Makes every commit wait for the disk: this build of SQLite is laxer unless told. */
function makeDurable(db: Database, path: string): void {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // A long log saves copies: a page of an index that changes often is copied once at a checkpoint.
  db.pragma('wal_autocheckpoint = 8000');
  const isWal = db.pragma('journal_mode', { simple: true }) === 'wal';
  const isFull = db.pragma('synchronous', { simple: true }) === 2;
  if (!isWal || !isFull) {
    throw new DossierError('LEDGER_TROUBLE', `${path} lies on a disk that cannot keep it safely`);
  }
}

/** Refuses a path without a ledger, where a new one would have to pay for all answers again. */
export function refuseMissing(given: string): void {
  const path = realLedgerPath(given);
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts) throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
  // A file that was just made anew, or cut off by a full disk.
  if (facts.isFile() && facts.size === 0) throw emptyLedger(path);
}

/** For a file that is there and holds no ledger yet. */
function emptyLedger(path: string): DossierError {
  return new DossierError('LEDGER_MISSING', `${path} is empty: there is no ledger in it`);
}

/** Refuses a database that is no ledger. True where the database is new. */
export function refuseForeign(db: Database, path: string): boolean {
  const isNew = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new DossierError('LEDGER_TROUBLE', `${path} is a database, but no ledger`);
  }
  return isNew;
}
