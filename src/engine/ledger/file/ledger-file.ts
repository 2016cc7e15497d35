import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { migrate } from '../../../core/runtime/migrate.ts';
import {
  makeLedgerFolder,
  realLedgerPath,
  refuseSecondName,
  temporary,
  withTrouble,
} from './ledger-path.ts';
import { tryLockFile } from './locks.ts';

/** Marks the file as a ledger, so that no other database is taken for one. */
const applicationId = 0x44_6f_73_73;

/** The file of a ledger, open to be read or changed. */
export interface LedgerFile extends Disposable {
  readonly db: Database.Database;
  readonly path: string;
}

/**
 * Opens the file of a ledger to change it. A ledger that is not there is made, or refused; `busyMs` is how long
 * to wait for the transaction of another program, which takes a fraction of a second.
 */
export function openFile(given: string, { busyMs = 60_000, mustExist = false } = {}): LedgerFile {
  const path = given === temporary ? temporary : realLedgerPath(given);
  return withTrouble(path, () => {
    if (path !== temporary) {
      if (mustExist) refuseMissing(path);
      else makeLedgerFolder(dirname(path));
      refuseSecondName(path);
    }
    const options = { timeout: busyMs, fileMustExist: mustExist };
    const db = new Database(path === temporary ? '' : path, options);
    return orClose(db, () => {
      prepareFile(db, path, mustExist);
      return { db, path, [Symbol.dispose]: () => void db.close() };
    });
  });
}

/** Closes a database where the work on it fails. */
export function orClose<Result>(db: Database.Database, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes a new file a ledger, and brings an older one up to date. */
export function prepareFile(db: Database.Database, path: string, mustExist: boolean): void {
  // First of all: the settings below would stay in a database that is no ledger.
  const isNew = refuseForeign(db, path);
  if (isNew && mustExist) throw emptyLedger(path);
  if (path === temporary) db.pragma('synchronous = off');
  else {
    refuseCutShort(db, path);
    makeDurable(db, path);
  }
  if (isNew) db.pragma(`application_id = ${applicationId}`);
  bringUpToDate(db, path);
}

function bringUpToDate(db: Database.Database, path: string): void {
  if (migrate(db, join(import.meta.dirname, '../migrations'))) return;
  throw new DossierError('NEWER_VERSION', `${path} has a schema that this version does not know`);
}

/** Makes every commit wait for the disk: this build of SQLite is laxer unless told. */
function makeDurable(db: Database.Database, path: string): void {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // A long log saves copies: a page of an index that changes often is copied once at a checkpoint.
  db.pragma('wal_autocheckpoint = 8000');
  if (pragmaOf(db, 'journal_mode') === 'wal' && pragmaOf(db, 'synchronous') === 2) return;
  throw new DossierError('LEDGER_TROUBLE', `${path} lies on a disk that cannot keep it safely`);
}

/** The single value that a pragma gives. */
function pragmaOf(db: Database.Database, name: string): unknown {
  return db.pragma(name, { simple: true });
}

/** Bytes of the pages of a ledger, and of those that are free. */
export function pageBytes(db: Database.Database) {
  const [pageSize = 0, pages = 0, freePages = 0] = [
    'page_size',
    'page_count',
    'freelist_count',
  ].map((name) => Number(pragmaOf(db, name)));
  return { all: pages * pageSize, free: freePages * pageSize };
}

/** Refuses a ledger that SQLite finds damaged. Its quick check leaves the indexes out. */
export function refuseDamaged(
  db: Database.Database,
  path: string,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): void {
  const found = pragmaOf(db, `${check}(1)`);
  if (found !== 'ok') throw new DossierError('LEDGER_DAMAGED', `${path} is damaged: ${found}`);
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
  if (!isNew && pragmaOf(db, 'application_id') !== applicationId) {
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
  const pageSize = Number(pragmaOf(db, 'page_size'));
  const endsWithPage = () => sizeOf(path) % pageSize === 0;
  // While there is a log beside the file it may end so for a moment, and the log holds what is
  // missing. The size is read twice, since another process may just have checkpointed its log.
  if (endsWithPage() || sizeOf(`${path}-wal`) > 0 || endsWithPage()) return;
  throw new DossierError('LEDGER_DAMAGED', `${path} cannot be used: its end is cut off`);
}

/** 0 for a file that is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
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
    const close = () => void db.close();
    // Readers go from the beginning to the end, so 1 MiB of cache is as good as the usual 16.
    db.pragma('cache_size = -1000');
    return orClose(db, () => {
      if (refuseForeign(db, path)) return close();
      refuseCutShort(db, path);
      refuseOlder(db, path);
      return { db, path, [Symbol.dispose]: close };
    });
  });
}

/** A reader writes only where a migration is missing. */
function refuseOlder(db: Database.Database, path: string): void {
  try {
    bringUpToDate(db, path);
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_READONLY') throw error;
    const message = `${path} is of an older version; the next run brings it up to date`;
    throw new DossierError('LEDGER_TROUBLE', message, { cause: error });
  }
}

/** Opens the file of a ledger that has to be there, to read. */
export function openExisting(path: string): LedgerFile {
  const opened = openFileToRead(path);
  if (opened) return opened;
  throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
}

/** Reads a ledger that has to be there as it is at one moment. */
export function atOneMoment<Result>(given: string, read: (file: LedgerFile) => Result): Result {
  using file = openExisting(given);
  return withTrouble(file.path, () => file.db.transaction(() => read(file)).deferred());
}

/** Opens the file of a ledger to change it. Only one `dossier ledger` command at a time does so. */
export function openToCare(given: string, mustExist: boolean): LedgerFile {
  const path = realLedgerPath(given);
  const file = openFile(path, { mustExist });
  const care = () => {
    // `@` is in no name of a job, so the lock is not taken for that of a run.
    const lock = tryLockFile(`${path}.care@1.lock`);
    if (!lock) {
      const message = `another \`dossier ledger\` command is at work on ${path}`;
      throw new DossierError('JOB_BUSY', message);
    }
    const close = () => {
      file.db.close();
      lock[Symbol.dispose]();
    };
    return { ...file, [Symbol.dispose]: close };
  };
  return withTrouble(path, () => orClose(file.db, care));
}
