import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { shellWord } from '../../../platform/files/local-path.ts';
import { tryLockFile } from '../../../platform/files/lock-file.ts';
import { migrate, migrationsMissing } from '../../../platform/migrate.ts';
import { addServices, renameServices, servicesOfRuns } from '../care/rename-services.ts';
import {
  makeLedgerFolder,
  realLedgerPath,
  refuseMountedFile,
  temporary,
  withLedgerErrors,
} from './ledger-path.ts';
import { maintenanceLock } from './locks.ts';

const migrations = join(import.meta.dirname, '../migrations');

const applicationId = 0x44_6f_73_73;

export interface LedgerFile extends Disposable {
  readonly db: Database.Database;
  readonly path: string;
}

/**
 * `temporariesIn: 'memory'` is for a connection without large temporary tables: SQLite otherwise
 * writes the undo log of each statement to a file.
 */
export function openFile(
  ledgerPath: string,
  { busyMs = 60_000, mustExist = false, temporariesIn = 'file' as 'file' | 'memory' } = {},
): LedgerFile {
  const path = ledgerPath === temporary ? temporary : realLedgerPath(ledgerPath);
  return withLedgerErrors(path, () => {
    if (path !== temporary) {
      if (mustExist) refuseMissing(path);
      else makeLedgerFolder(dirname(path));
      refuseMountedFile(path);
    }
    const options = { timeout: busyMs, fileMustExist: mustExist };
    const db = new Database(path === temporary ? '' : path, options);
    return orClose(db, () => {
      prepareFile(db, path, mustExist);
      db.pragma(`temp_store = ${temporariesIn}`);
      return { db, path, [Symbol.dispose]: () => void db.close() };
    });
  });
}

export function orClose<Result>(db: Database.Database, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    db.close();
    throw error;
  }
}

export function prepareFile(db: Database.Database, path: string, mustExist: boolean): void {
  // Check first, because the pragmas below would change a foreign database.
  const isNew = refuseForeign(db, path);
  if (isNew && mustExist) throw emptyLedger(path);
  if (!isNew && isOutdated(db, path)) throw outdatedLedger(path);
  if (path === temporary) db.pragma('synchronous = off');
  else {
    refuseCutShort(db, path);
    makeDurable(db, path);
  }
  if (!isNew) return;
  db.pragma(`application_id = ${applicationId}`);
  migrate(db, migrations);
}

/** Throws if no upgrade helps. */
export function isOutdated(db: Database.Database, path: string): boolean {
  // The last thing that came before the first release. No migration may remove it.
  if (!db.prepare(`select 1 from sqlite_schema where name = 'audit_grows'`).get()) {
    throw new DossierError(
      'LEDGER_PRERELEASE',
      `${path} was written by a version of Dossier before 0.9.0`,
    );
  }
  const missing = migrationsMissing(db, migrations);
  if (missing >= 0) return missing > 0;
  throw new DossierError('NEWER_VERSION', `${path} has a schema that this version does not know`);
}

function outdatedLedger(path: string) {
  return new DossierError(
    'LEDGER_OUTDATED',
    `${path} was written by an older version of Dossier; \`dossier ledger upgrade --ledger ${shellWord(path)}\` upgrades it`,
  );
}

/** Call inside a transaction. */
export function upgradeSchema(db: Database.Database): void {
  migrate(db, migrations);
  renameServices(db, servicesOfRuns(db));
  addServices(db);
}

/** Makes each commit wait for the disk, which this SQLite build does not do by default. */
function makeDurable(db: Database.Database, path: string) {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // A longer log saves copies: a busy index page is copied once per checkpoint.
  db.pragma('wal_autocheckpoint = 8000');
  if (pragmaOf(db, 'journal_mode') === 'wal' && pragmaOf(db, 'synchronous') === 2) return;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${path} is on a disk where SQLite cannot store it safely`,
  );
}

function pragmaOf(db: Database.Database, name: string): unknown {
  return db.pragma(name, { simple: true });
}

export function pageBytes(db: Database.Database) {
  const [pageSize = 0, pages = 0, freePages = 0] = [
    'page_size',
    'page_count',
    'freelist_count',
  ].map((name) => Number(pragmaOf(db, name)));
  return { all: pages * pageSize, free: freePages * pageSize };
}

/** `quick_check` is faster, but skips the indexes. */
export function refuseDamaged(
  db: Database.Database,
  path: string,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): void {
  const firstProblem = pragmaOf(db, `${check}(1)`);
  if (firstProblem !== 'ok')
    throw new DossierError('LEDGER_DAMAGED', `${path} is damaged: ${firstProblem}`);
}

/** With a new ledger, a run would pay for all answers again. */
export function refuseMissing(ledgerPath: string): void {
  const path = realLedgerPath(ledgerPath);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
  if (stats.isFile() && stats.size === 0) throw emptyLedger(path);
}

function emptyLedger(path: string) {
  return new DossierError('LEDGER_MISSING', `${path} is an empty file, not a ledger`);
}

function refuseForeign(db: Database.Database, path: string) {
  const isNew = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isNew && pragmaOf(db, 'application_id') !== applicationId) {
    throw new DossierError('LEDGER_TROUBLE', `${path} is a database, but not a ledger`);
  }
  return isNew;
}

/** Reads only the size, because opening and closing the file would drop this process's locks. */
function refuseCutShort(db: Database.Database, path: string) {
  const pageSize = Number(pragmaOf(db, 'page_size'));
  const endsWithPage = () => sizeOf(path) % pageSize === 0;
  // While there is a write-ahead log, the file may end inside a page. Checks the file again, because the log may just have been written into it.
  if (endsWithPage() || sizeOf(`${path}-wal`) > 0 || endsWithPage()) return;
  throw new DossierError(
    'LEDGER_DAMAGED',
    `${path} cannot be used: the end of the file is missing`,
  );
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A reader never upgrades: an older version may still be in use on a schedule. */
export function openFileToRead(ledgerPath: string, isOlderRead = false): LedgerFile | undefined {
  const path = realLedgerPath(ledgerPath);
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  return withLedgerErrors(path, () => {
    refuseMountedFile(path);
    const db = new Database(path, { readonly: true, timeout: 60_000 });
    const close = () => void db.close();
    // A small cache, because readers go through the file once.
    db.pragma('cache_size = -1000');
    return orClose(db, () => {
      if (refuseForeign(db, path)) return close();
      refuseCutShort(db, path);
      if (isOutdated(db, path) && !isOlderRead) throw outdatedLedger(path);
      return { db, path, [Symbol.dispose]: close };
    });
  });
}

export function openExisting(path: string, isOlderRead = false): LedgerFile {
  const opened = openFileToRead(path, isOlderRead);
  if (opened) return opened;
  throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
}

export function atOneMoment<Result>(
  ledgerPath: string,
  read: (file: LedgerFile) => Result,
): Result {
  using file = openExisting(ledgerPath);
  return withLedgerErrors(file.path, () => file.db.transaction(() => read(file)).deferred());
}

/** Only one `dossier ledger` command at a time may change a ledger. */
export function openForMaintenance(ledgerPath: string, mustExist: boolean): LedgerFile {
  const path = realLedgerPath(ledgerPath);
  const file = openFile(path, { mustExist });
  const lockFile = () => {
    const lock = tryLockFile(`${path}.${maintenanceLock}.lock`);
    if (!lock) {
      throw new DossierError('JOB_BUSY', `another \`dossier ledger\` command is using ${path}`);
    }
    const close = () => {
      file.db.close();
      lock[Symbol.dispose]();
    };
    return { ...file, [Symbol.dispose]: close };
  };
  return withLedgerErrors(path, () => orClose(file.db, lockFile));
}
