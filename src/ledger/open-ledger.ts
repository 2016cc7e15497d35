import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import type { Counts } from '../rules/outcomes.ts';
import { bodiesIn } from './calls/bodies.ts';
import { type Calls, callsIn } from './calls/calls.ts';
import { type Services, servicesIn } from './calls/services.ts';
import { copyToRead, needsCopyToRead } from './file/copy-to-read.ts';
import { temporary, withTrouble } from './file/ledger-trouble.ts';
import { makeLedgerFolder } from './file/make-folder.ts';
import { bringUpToDate, prepareFile, refuseForeign } from './file/prepare-file.ts';
import { realLedgerPath, refuseSecondName } from './file/real-path.ts';
import { refuseCutShort } from './file/refuse-cut-short.ts';
import { watchPlace } from './file/watch-place.ts';
import { type Records, recordsIn } from './records.ts';
import { noCounts } from './runs/counts.ts';
import { type Lists, listsIn } from './runs/lists.ts';
import { type Outcomes, outcomesIn } from './runs/outcomes.ts';
import { type Planning, planningIn } from './runs/planning.ts';
import { type ProgressNotes, progressIn } from './runs/progress.ts';
import { type Rows, rowsIn } from './runs/rows.ts';
import { type Runs, runsIn } from './runs/runs.ts';
import { type Searches, searchesIn } from './runs/searches.ts';
import { type Spend, spendIn } from './runs/spend.ts';
import { type Starts, startsIn } from './runs/starts.ts';
import { type Tallies, talliesIn } from './runs/tallies.ts';
import { type Timeline, timelineIn } from './runs/timeline.ts';

/**
 * The SQLite file that holds rows, calls, answers and runs. It is the truth; output files are
 * projections of it.
 */
export interface Ledger extends Disposable {
  /** Path of the file that is open. */
  readonly path: string;
  readonly runs: Runs;
  readonly starts: Starts;
  readonly lists: Lists;
  readonly rows: Rows;
  readonly outcomes: Outcomes;
  readonly calls: Calls;
  readonly services: Services;
  readonly searches: Searches;
  readonly records: Records;
  readonly planning: Planning;
  readonly timeline: Timeline;
  readonly tallies: Tallies;
  readonly progress: ProgressNotes;
  readonly spend: Spend;
  /** Where a run stands. */
  counts(runId: number): Counts;
  /** Runs the work in one transaction: all of it is kept, durably, or none. */
  together<Result>(work: () => Result): Result;
  /** A transaction that a power cut may undo: for work that costs nothing to be done again. */
  provisionally<Result>(work: () => Result): Result;
}

export interface LedgerOptions {
  /** How long to wait for the transaction of another program; LEDGER_BUSY after that. */
  readonly busyMs?: number;
  /** Where the ledger saves itself when it is removed while it is open and cannot be put back. */
  readonly rescueFolders?: readonly string[];
}

/** Opens a ledger to read and write. `:temporary:` is one that is gone when it is closed. */
export function openLedger(
  given: string,
  { busyMs = 60_000, rescueFolders = [tmpdir()] }: LedgerOptions = {},
): Ledger {
  const path = given === temporary ? temporary : realLedgerPath(given);
  return withTrouble(path, () => {
    if (path !== temporary) {
      makeLedgerFolder(dirname(path));
      refuseSecondName(path);
    }
    // Several jobs may share a ledger: a writer waits until the transaction of another ends.
    const db = new Database(path === temporary ? '' : path, { timeout: busyMs });
    try {
      prepareFile(db, path);
      return ledgerIn(db, path, rescueFolders);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function ledgerIn(db: Database.Database, path: string, rescueFolders: readonly string[]): Ledger {
  const checkPlace = path === temporary ? () => {} : watchPlace(db, path, rescueFolders);
  const together: Ledger['together'] = (work) =>
    withTrouble(path, () => {
      checkPlace();
      try {
        return db.transaction(work).immediate();
      } catch (error) {
        // A ledger that is removed on a full disk may be found out by the write.
        checkPlace();
        throw error;
      }
    });
  return {
    path,
    ...tablesOf(db, path),
    together,
    provisionally(work) {
      // The next commit that waits for the disk makes this one durable, too.
      if (path !== temporary) db.pragma('synchronous = normal');
      try {
        return together(work);
      } finally {
        if (path !== temporary) db.pragma('synchronous = full');
      }
    },
    [Symbol.dispose]() {
      checkpoint(db);
      db.close();
    },
  };
}

/** A reader of the log delays a checkpoint by a moment at most; the next close makes up for it. */
const checkpointPatienceMs = 1_000;

/**
 * Moves all answers from SQLite's log into the file, so that a copy of the file alone holds them. SQLite
 * does so only when the last connection closes and may write.
 */
function checkpoint(db: Database.Database): void {
  try {
    db.pragma(`busy_timeout = ${checkpointPatienceMs}`);
    db.pragma('wal_checkpoint(truncate)');
  } catch {
    // Nothing is lost: answers that were not moved are read from the log.
  }
}

/**
 * Opens a ledger to read, also while a run goes on: nothing is written, made or migrated, and `together`
 * shows one moment. Undefined where there is no ledger yet.
 */
export function openLedgerToRead(given: string): Ledger | undefined {
  const path = realLedgerPath(given);
  if (!existsSync(path)) return undefined;
  return withTrouble(path, () => {
    refuseSecondName(path);
    try {
      return readLedger(path, path);
    } catch (error) {
      if (!needsCopyToRead(path, error)) throw error;
      return readCopy(path);
    }
  });
}

function readCopy(path: string): Ledger | undefined {
  const copy = copyToRead(path);
  try {
    const ledger = readLedger(copy.path, path);
    if (!ledger) copy[Symbol.dispose]();
    return (
      ledger && {
        ...ledger,
        [Symbol.dispose]() {
          ledger[Symbol.dispose]();
          copy[Symbol.dispose]();
        },
      }
    );
  } catch (error) {
    copy[Symbol.dispose]();
    throw error;
  }
}

/** Reads the ledger in a file, which errors call by the path that its user knows. */
function readLedger(file: string, path: string): Ledger | undefined {
  const db = new Database(file, { readonly: true, timeout: 60_000 });
  // Readers go from the beginning to the end, so 1 MiB of cache is as good as the usual 16.
  db.pragma('cache_size = -1000');
  try {
    if (refuseForeign(db, path)) {
      db.close();
      return undefined;
    }
    refuseCutShort(db, file);
    bringUpToDate(db, path);
    const together: Ledger['together'] = (work) =>
      withTrouble(path, () => db.transaction(work).deferred());
    return { path: file, ...tablesOf(db, path), together, provisionally: together };
  } catch (error) {
    db.close();
    if (!isRefusedWrite(error)) throw error;
    const message = `${path} is of an older version; the next run brings it up to date`;
    throw new DossierError('LEDGER_TROUBLE', message, { cause: error });
  }
}

/** A reader writes only where a migration is missing. */
function isRefusedWrite(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_READONLY';
}

type Tables = Omit<Ledger, 'path' | 'together' | 'provisionally'>;

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
  const lists = listsIn(db);
  const tables = {
    runs: runsIn(db),
    starts: startsIn(db),
    lists,
    rows: rowsIn(db),
    outcomes: outcomesIn(db),
    calls: callsIn(db, bodies),
    services: servicesIn(db),
    searches: searchesIn(db),
    records: recordsIn(db, bodies, lists),
    planning: planningIn(db),
    timeline: timelineIn(db),
    tallies: talliesIn(db),
    progress: progressIn(db),
    spend: spendIn(db),
  };
  return {
    ...tables,
    counts: (runId) => tables.progress.of(runId) ?? noCounts,
    [Symbol.dispose]: () => void db.close(),
  };
}
