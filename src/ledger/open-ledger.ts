import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import { bodiesIn } from './calls/bodies.ts';
import { callsIn } from './calls/calls.ts';
import { retentionIn } from './care/prune-runs.ts';
import { openFileToRead, prepareFile, refuseMissing } from './file/ledger-file.ts';
import { temporary, withTrouble } from './file/ledger-trouble.ts';
import { makeLedgerFolder, realLedgerPath, refuseSecondName } from './file/real-path.ts';
import { recordsIn } from './records.ts';
import { listsIn } from './rows/lists.ts';
import { outcomesIn } from './rows/outcomes.ts';
import { rowsIn } from './rows/rows.ts';
import { judgingIn } from './runs/judging.ts';
import { planningIn } from './runs/planning.ts';
import { noCounts, progressIn } from './runs/progress.ts';
import { runsIn } from './runs/runs.ts';
import { searchesIn } from './runs/searches.ts';
import { spendIn } from './runs/spend.ts';
import { startsIn } from './runs/starts.ts';
import { talliesIn } from './runs/tallies.ts';
import { timelineIn } from './runs/timeline.ts';

/**
 * The SQLite file that holds rows, calls, answers and runs. It is the truth; output files are
 * projections of it.
 */
export type Ledger = ReturnType<typeof ledgerIn>;

export interface LedgerOptions {
  /** How long to wait for the transaction of another program; LEDGER_BUSY after that. */
  readonly busyMs?: number;
  /** A ledger that is not there is an error, and is not made. */
  readonly mustExist?: boolean;
}

/** Opens a ledger to read and write. `:temporary:` is one that is gone when it is closed. */
export function openLedger(
  given: string,
  { busyMs = 60_000, mustExist = false }: LedgerOptions = {},
): Ledger {
  const path = given === temporary ? temporary : realLedgerPath(given);
  return withTrouble(path, () => {
    if (path !== temporary) {
      if (mustExist) refuseMissing(path);
      else makeLedgerFolder(dirname(path));
      refuseSecondName(path);
    }
    // Several jobs may share a ledger: a writer waits until the transaction of another ends.
    const options = { timeout: busyMs, fileMustExist: mustExist };
    const db = new Database(path === temporary ? '' : path, options);
    try {
      prepareFile(db, path, { mustExist });
      return ledgerIn(db, path);
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

function ledgerIn(db: Database.Database, path: string) {
  const checkPlace = path === temporary ? () => {} : watchPlace(path);
  const together = <Result>(work: () => Result) =>
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
    /** Path of the file that is open. */
    path,
    ...tablesOf(db, path),
    /** Runs the work in one transaction: all of it is kept, durably, or none. */
    together,
    /** A transaction that a power cut may undo: for work that costs nothing to be done again. */
    provisionally<Result>(work: () => Result) {
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

/** Answers written to a file that was removed would be lost when it is closed. */
function watchPlace(path: string): () => void {
  const opened = statSync(path);
  return () => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.ino === opened.ino && found.dev === opened.dev) return;
    const what = found ? 'replaced by another file' : 'removed';
    throw new DossierError('LEDGER_LOST', `${path} was ${what} while it was in use`);
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
  const opened = openFileToRead(given);
  if (!opened) return undefined;
  const { db, path } = opened;
  const close = () => opened[Symbol.dispose]();
  try {
    const together = <Result>(work: () => Result) =>
      withTrouble(path, () => db.transaction(work).deferred());
    const tables = withTrouble(path, () => tablesOf(db, path));
    return { path, ...tables, together, provisionally: together, [Symbol.dispose]: close };
  } catch (error) {
    close();
    throw error;
  }
}

function tablesOf(db: Database.Database, path: string) {
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

function prepareTables(db: Database.Database) {
  const bodies = bodiesIn(db);
  const lists = listsIn(db);
  const progress = progressIn(db);
  return {
    runs: runsIn(db),
    starts: startsIn(db),
    lists,
    rows: rowsIn(db),
    outcomes: outcomesIn(db),
    calls: callsIn(db, bodies),
    searches: searchesIn(db),
    records: recordsIn(db, bodies, lists),
    planning: planningIn(db),
    judging: judgingIn(db),
    timeline: timelineIn(db),
    tallies: talliesIn(db),
    progress,
    spend: spendIn(db),
    retention: retentionIn(db),
    /** Where a run stands. */
    counts: (runId: number) => progress.of(runId) ?? noCounts,
  };
}
