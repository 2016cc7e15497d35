import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import { migrate } from '../runtime/migrate.ts';
import { bodiesIn } from './calls/bodies.ts';
import { type Calls, callsIn } from './calls/calls.ts';
import { makeLedgerFolder } from './file/make-folder.ts';
import { refuseCutShort } from './file/refuse-cut-short.ts';
import { watchPlace } from './file/watch-place.ts';
import { type Records, recordsIn } from './records.ts';
import { type Planning, planningIn } from './runs/planning.ts';
import { type ProgressNotes, progressIn } from './runs/progress.ts';
import { type Rows, rowsIn } from './runs/rows.ts';
import { type Runs, runsIn } from './runs/runs.ts';
import { type Searches, searchesIn } from './runs/searches.ts';
import { type Timeline, timelineIn } from './runs/timeline.ts';

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
  readonly timeline: Timeline;
  readonly progress: ProgressNotes;
  /** Runs the work in one transaction: all of it is kept, durably, or none. */
  together<Result>(work: () => Result): Result;
  /** The same, but a power cut may undo it: for what costs nothing to be done again. */
  provisionally<Result>(work: () => Result): Result;
}

/** The name of a ledger that is gone when it is closed. */
const temporary = ':temporary:';

/** Marks the file as a ledger, so that a store or somebody else's database is not taken for one. */
const applicationId = 0x44_6f_73_73;

/** `:temporary:` is a ledger on disk that nobody else sees and that is gone when it is closed. */
export function openLedger(path: string): Ledger {
  return withTrouble(path, () => {
    if (path !== temporary) makeLedgerFolder(dirname(path));
    // Several jobs may share a ledger; a writer waits for the other's transaction to end.
    const db = new Database(path === temporary ? '' : path, { timeout: 60_000 });
    try {
      prepare(db, path);
      return ledgerIn(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function ledgerIn(db: Database.Database, path: string): Ledger {
  const checkPlace = path === temporary ? () => {} : watchPlace(db, path);
  const together: Ledger['together'] = (work) =>
    withTrouble(path, () => {
      const result = db.transaction(work).immediate();
      checkPlace();
      return result;
    });
  return {
    ...tablesOf(db, path),
    together,
    provisionally(work) {
      // Nothing is lost by it but this: the next commit that waits for the disk writes this one, too.
      if (path !== temporary) db.pragma('synchronous = normal');
      try {
        return together(work);
      } finally {
        if (path !== temporary) db.pragma('synchronous = full');
      }
    },
    [Symbol.dispose]() {
      gatherIntoFile(db);
      db.close();
    },
  };
}

/** Whoever looks on waits for a moment at most; the next who closes gathers what is left. */
const gatherPatienceMs = 1_000;

/**
 * SQLite does so itself for the last who closes, but not for one who only looked on: then the
 * answers would lie beside the file, and whoever copies the file would lose them.
 */
function gatherIntoFile(db: Database.Database): void {
  try {
    db.pragma(`busy_timeout = ${gatherPatienceMs}`);
    db.pragma('wal_checkpoint(truncate)');
  } catch {
    // Nothing is lost: what could not be moved stays in the log, and is read from there.
  }
}

/**
 * For those who only look, while a run goes on, too: nothing is written, made or migrated, and
 * `together` shows one moment. Undefined where there is no ledger yet.
 */
export function openLedgerToRead(path: string): Ledger | undefined {
  if (!existsSync(path)) return undefined;
  return withTrouble(path, () => {
    const db = new Database(path, { readonly: true, timeout: 60_000 });
    // They read from the beginning to the end: 1 MiB at hand is as good as the usual 16.
    db.pragma('cache_size = -1000');
    try {
      if (refuseForeign(db, path)) {
        db.close();
        return undefined;
      }
      refuseCutShort(db, path);
      bringUpToDate(db, path);
      const together: Ledger['together'] = (work) =>
        withTrouble(path, () => db.transaction(work).deferred());
      return { ...tablesOf(db, path), together, provisionally: together };
    } catch (error) {
      db.close();
      if (!isRefusedWrite(error)) throw error;
      const message = `${path} is of an older version; the next run brings it up to date`;
      throw new DossierError('LEDGER_TROUBLE', message, { cause: error });
    }
  });
}

/** Looking needs no write but that of a migration. */
function isRefusedWrite(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_READONLY');
}

type Tables = Omit<Ledger, 'together' | 'provisionally'>;

function tablesOf(db: Database.Database, path: string): Tables {
  try {
    return prepareTables(db);
  } catch (error) {
    if (!isOtherSchema(error)) throw error;
    const message = `${path} was written by a version before the first release, whose answers this one cannot read`;
    throw new DossierError('LEDGER_OLDER', message, { cause: error });
  }
}

/** Before the first release the schema changed under its number, so the number does not tell. */
function isOtherSchema(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    /^no such (?:table|column)|has no column named/.test(error.message)
  );
}

function prepareTables(db: Database.Database): Tables {
  const bodies = bodiesIn(db);
  return {
    runs: runsIn(db),
    rows: rowsIn(db),
    calls: callsIn(db, bodies),
    searches: searchesIn(db),
    records: recordsIn(db, bodies),
    planning: planningIn(db),
    timeline: timelineIn(db),
    progress: progressIn(db),
    [Symbol.dispose]: () => void db.close(),
  };
}

function prepare(db: Database.Database, path: string): void {
  // First of all: the settings below would stay in somebody else's database.
  const isNew = refuseForeign(db, path);
  if (path !== temporary) refuseCutShort(db, path);
  if (path === temporary) db.pragma('synchronous = off');
  else makeDurable(db, path);
  if (isNew) db.pragma(`application_id = ${applicationId}`);
  bringUpToDate(db, path);
}

function bringUpToDate(db: Database.Database, path: string): void {
  if (migrate(db, join(import.meta.dirname, 'migrations'))) return;
  throw new DossierError('LEDGER_NEWER', `${path} has a schema that this version does not know`);
}

/** An answer that was acknowledged is on the disk: this build of SQLite is laxer unless told. */
function makeDurable(db: Database.Database, path: string): void {
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  // Indexes are written all over: the longer the log, the fewer times each of their pages is copied.
  db.pragma('wal_autocheckpoint = 8000');
  const isWal = db.pragma('journal_mode', { simple: true }) === 'wal';
  const isFull = db.pragma('synchronous', { simple: true }) === 2;
  if (!isWal || !isFull) {
    throw new DossierError('LEDGER_TROUBLE', `${path} lies on a disk that cannot keep it safely`);
  }
}

/** Says whether the database is new. */
function refuseForeign(db: Database.Database, path: string): boolean {
  const isNew = db.prepare('select 1 from sqlite_schema limit 1').get() === undefined;
  if (!isNew && db.pragma('application_id', { simple: true }) !== applicationId) {
    throw new DossierError('LEDGER_TROUBLE', `${path} is a database, but no ledger`);
  }
  return isNew;
}

function withTrouble<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asLedgerTrouble(path, error);
  }
}

/** The same for all that a command does with a ledger, reading included. */
export async function tellingTrouble<Result>(
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asLedgerTrouble(path, error);
  }
}

/** A full disk or a broken file is the user's to mend and no bug; any other error stays itself. */
export function asLedgerTrouble(path: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const isDamaged = /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);
  // SQLite puts what does not fit into memory there, and fails where it may not.
  const draft = `the draft, which goes to TMPDIR (${tmpdir()}) when it is large,`;
  const message = `${path === temporary ? draft : path} cannot be used: ${error.message}`;
  return new DossierError(isDamaged ? 'LEDGER_DAMAGED' : 'LEDGER_TROUBLE', message, {
    cause: error,
  });
}
