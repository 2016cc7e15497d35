import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { migrate } from '../../runtime/migrate.ts';
import { temporary, withTrouble } from './ledger-trouble.ts';
import { tryLockFile } from './locks.ts';
import { makeLedgerFolder, realLedgerPath, refuseSecondName } from './real-path.ts';

/** Marks the file as a ledger, so that no other database is taken for one. */
const applicationId = 0x44_6f_73_73;

/** Makes a new file a ledger, and brings an older one up to date. */
export function prepareFile(db: Database.Database, path: string, { mustExist = false } = {}): void {
  // First of all: the settings below would stay in a database that is no ledger.
  const isNew = refuseForeign(db, path);
  if (isNew && mustExist) throw emptyLedger(path);
  if (path !== temporary) refuseCutShort(db, path);
  if (path === temporary) db.pragma('synchronous = off');
  else makeDurable(db, path);
  if (isNew) db.pragma(`application_id = ${applicationId}`);
  bringUpToDate(db, path);
}

function bringUpToDate(db: Database.Database, path: string): void {
  if (migrate(db, join(import.meta.dirname, '../migrations'))) return;
  throw new DossierError('LEDGER_NEWER', `${path} has a schema that this version does not know`);
}

/** Makes every commit wait for the disk: this build of SQLite is laxer unless told. */
function makeDurable(db: Database.Database, path: string): void {
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
function refuseForeign(db: Database.Database, path: string): boolean {
  const isNew = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new DossierError('LEDGER_TROUBLE', `${path} is a database, but no ledger`);
  }
  return isNew;
}

/**
 * Refuses a ledger that ends within a page: a copy that was cut off, or a disk that was full. SQLite
 * takes such a page for whole, with nothing where its end was. The size of a page is asked of SQLite:
 * to open and close its file here would take away the locks that this process has on it.
 */
function refuseCutShort(db: Database.Database, path: string): void {
  const pageSize = Number(db.pragma('page_size', { simple: true }));
  const endsWithPage = () => sizeOf(path) % pageSize === 0;
  // While there is a log beside the file it may end so for a moment, and the log holds what is
  // missing. The size is read twice, since another process may just have checkpointed its log.
  if (endsWithPage() || sizeOf(`${path}-wal`) > 0 || endsWithPage()) return;
  throw new DossierError('LEDGER_DAMAGED', `${path} cannot be used: its end is cut off`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The file of a ledger, open to be read or changed. */
export interface LedgerFile extends Disposable {
  readonly db: Database.Database;
  readonly path: string;
}

/**
 * Opens the file of a ledger to read, also while a run goes on: nothing is written, made or migrated.
 * Undefined where there is no ledger yet.
 */
export function openFileToRead(given: string): LedgerFile | undefined {
  const path = realLedgerPath(given);
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
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

/** Opens the file of a ledger that has to be there, to read. */
export function openExisting(path: string): LedgerFile {
  const opened = openFileToRead(path);
  if (opened) return opened;
  throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
}

/** Opens the file of a ledger to change it. Only one `dossier ledger` command at a time does so. */
export function openToWrite(given: string, { mustExist = true } = {}): LedgerFile {
  const path = realLedgerPath(given);
  return withTrouble(path, () => {
    if (mustExist) refuseMissing(path);
    else makeLedgerFolder(dirname(path));
    refuseSecondName(path);
    // `@` is in no name of a job, so the lock is not taken for that of a run.
    const lock = tryLockFile(`${path}.care@1.lock`);
    if (!lock) {
      const message = `another \`dossier ledger\` command is at work on ${path}`;
      throw new DossierError('CARE_BUSY', message);
    }
    let db: Database.Database | undefined;
    const close = () => {
      db?.close();
      lock[Symbol.dispose]();
    };
    try {
      // A transaction of a run takes a fraction of a second.
      db = new Database(path, { timeout: 60_000, fileMustExist: mustExist });
      prepareFile(db, path, { mustExist });
      return { db, path, [Symbol.dispose]: close };
    } catch (error) {
      close();
      throw error;
    }
  });
}
