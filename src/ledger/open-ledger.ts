import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import { migrate } from '../runtime/migrate.ts';
import { type Calls, callsIn } from './calls.ts';
import { makeFolder } from './make-folder.ts';
import { type Planning, planningIn } from './planning.ts';
import { type Records, recordsIn } from './records.ts';
import { type Rows, rowsIn } from './rows.ts';
import { type Runs, runsIn } from './runs.ts';
import { type Searches, searchesIn } from './searches.ts';

/**
 * The SQLite file that holds rows, calls, answers and runs. It is the truth; output files are
 * projections of it.
 */
export interface Ledger extends Disposable {
  readonly runs: Runs;
  readonly rows: Rows;
  readonly calls: Calls;
  readonly searches: Searches;
  readonly records: Records;
  readonly planning: Planning;
  /** Runs the work in one transaction: all of it is kept, durably, or none. */
  together<Result>(work: () => Result): Result;
}

/** Marks the file as a ledger, so that a store or somebody else's database is not taken for one. */
const applicationId = 0x44_6f_73_73;

/** `:temporary:` is a ledger on disk that nobody else sees and that is gone when it is closed. */
export function openLedger(path: string): Ledger {
  return ledgerOver(openDatabase(path), path);
}

/** A ledger to look at: nothing can be written to it. Undefined where there is none yet. */
export function readLedger(path: string): Ledger | undefined {
  if (!existsSync(path)) return undefined;
  return withTrouble(path, 'read', () => {
    const db = new Database(path, { readonly: true, timeout: 60_000 });
    if (isBlank(db)) {
      db.close();
      return undefined;
    }
    markAndMigrate(db, path);
    return ledgerOver(db, path);
  });
}

function ledgerOver(db: Database.Database, path: string): Ledger {
  return {
    runs: runsIn(db),
    rows: rowsIn(db),
    calls: callsIn(db),
    searches: searchesIn(db),
    records: recordsIn(db),
    planning: planningIn(db),
    together: (work) => withTrouble(path, 'written', () => db.transaction(work).immediate()),
    [Symbol.dispose]: () => void db.close(),
  };
}

function openDatabase(path: string): Database.Database {
  const isTemporary = path === ':temporary:';
  return withTrouble(path, 'written', () => {
    if (!isTemporary) makeFolder(dirname(path));
    // Several jobs may share a ledger; a writer waits for the other's transaction to end.
    const db = new Database(isTemporary ? '' : path, { timeout: 60_000 });
    if (isTemporary) db.pragma('synchronous = off');
    else makeDurable(db, path);
    markAndMigrate(db, path);
    return db;
  });
}

/** An answer that was acknowledged is on the disk: this build of SQLite is laxer unless told. */
function makeDurable(db: Database.Database, path: string): void {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  const isWal = db.pragma('journal_mode', { simple: true }) === 'wal';
  const isFull = db.pragma('synchronous', { simple: true }) === 2;
  if (!isWal || !isFull) {
    throw new DossierError('LEDGER_TROUBLE', `${path} lies on a disk that cannot keep it safely`);
  }
}

function markAndMigrate(db: Database.Database, path: string): void {
  if (isBlank(db)) db.pragma(`application_id = ${applicationId}`);
  if (db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new DossierError('LEDGER_TROUBLE', `${path} is a database, but no ledger`);
  }
  if (!migrate(db, join(import.meta.dirname, 'migrations'))) {
    throw new DossierError('LEDGER_NEWER', `${path} has a schema that this version does not know`);
  }
}

function isBlank(db: Database.Database): boolean {
  return db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
}

/** A full disk or a broken file is the user's to mend and no bug. */
function withTrouble<Result>(path: string, deed: 'read' | 'written', work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw new DossierError('LEDGER_TROUBLE', `${path} cannot be ${deed}: ${error.message}`, {
      cause: error,
    });
  }
}
