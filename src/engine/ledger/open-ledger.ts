import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { DossierError } from '../../core/errors.ts';
import { isAt } from '../../platform/files/lock-file.ts';
import { bodiesIn } from './calls/bodies.ts';
import { callsIn } from './calls/calls.ts';
import { servicesIn } from './calls/services.ts';
import { forgottenIn } from './care/forgotten.ts';
import { expiryIn, retentionIn } from './care/prune-ledger.ts';
import { openFile, openFileToRead, orClose } from './file/ledger-file.ts';
import { readLedgerId } from './file/ledger-id.ts';
import { temporary, withLedgerErrors } from './file/ledger-path.ts';
import { recordsIn } from './records/row-records.ts';
import { listsIn } from './rows/lists.ts';
import { outcomesIn } from './rows/outcomes.ts';
import { registerRowsIn } from './rows/register-rows.ts';
import { rowsIn } from './rows/rows.ts';
import { clockIn } from './runs/clock.ts';
import { deliveriesIn } from './runs/deliveries.ts';
import { jobFilesIn } from './runs/jobs.ts';
import { fillsIn, missesIn } from './runs/misses-and-fills.ts';
import { planningIn } from './runs/planning.ts';
import { progressIn } from './runs/progress.ts';
import { runsIn } from './runs/runs.ts';
import { searchesIn } from './runs/searches.ts';
import { spendIn } from './runs/spend.ts';
import { startsIn } from './runs/starts.ts';
import { talliesIn } from './runs/tallies.ts';
import { type Statements, statementsOn } from './statements.ts';

/** The source of truth; output files are derived from it. `tablesOf` says what each part holds. */
export interface Ledger extends Tables, Disposable {
  readonly path: string;
  readonly id: string;
  /** One commit. Another process waits for its end. */
  inTransaction<Result>(work: () => Result): Result;
}

type Tables = ReturnType<typeof tablesOf>;

export function openLedger(
  ledgerPath: string,
  options: Parameters<typeof openFile>[1] = {},
): Ledger {
  const { db, path } = openFile(ledgerPath, options);
  return withLedgerErrors(path, () => orClose(db, () => ledgerIn(db, path)));
}

function ledgerIn(db: Database.Database, path: string): Ledger {
  const statements = statementsOn(db);
  const tables = tablesOf(statements);
  // A wrong statement must fail now, not when a paid answer is to be stored.
  if (path !== temporary) statements.prepareAll();
  const checkDestination = path === temporary ? () => {} : watchPath(path);
  const inTransaction = <Result>(work: () => Result) =>
    withLedgerErrors(path, () => {
      checkDestination();
      try {
        return db.transaction(work).immediate();
      } catch (error) {
        // A removed ledger may show up only as a failed write.
        checkDestination();
        throw error;
      }
    });
  return {
    path,
    id: readLedgerId(db),
    ...tables,
    inTransaction,
    [Symbol.dispose]() {
      checkpoint(db);
      db.close();
    },
  };
}

/** Answers written to a deleted file would be lost. */
function watchPath(path: string): () => void {
  const opened = statSync(path);
  return () => {
    if (isAt(path, opened)) return;
    const what = existsSync(path) ? 'replaced by another file' : 'removed';
    throw new DossierError('LEDGER_MISSING', `${path} was ${what} while it was in use`);
  };
}

/** If a reader delays the checkpoint longer, the next close catches up. */
const checkpointPatienceMs = 1_000;

/** After a checkpoint, a copy of the file alone is complete. */
function checkpoint(db: Database.Database) {
  try {
    db.pragma(`busy_timeout = ${checkpointPatienceMs}`);
    db.pragma('wal_checkpoint(truncate)');
  } catch {
    // Harmless, because SQLite reads from the log what is not in the file yet.
  }
}

export function openLedgerToRead(ledgerPath: string): Ledger | undefined {
  const opened = openFileToRead(ledgerPath);
  if (!opened) return undefined;
  const { db, path } = opened;
  const inTransaction = <Result>(work: () => Result) =>
    withLedgerErrors(path, () => db.transaction(work).deferred());
  const contents = withLedgerErrors(path, () =>
    orClose(db, () => ({ id: readLedgerId(db), ...tablesOf(statementsOn(db)) })),
  );
  return { path, ...contents, inTransaction, [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

/** Also of an older version, because a run needs the names of jobs before it upgrades a ledger. */
export function openNamesToRead(ledgerPath: string) {
  const opened = openFileToRead(ledgerPath, true);
  if (!opened) return undefined;
  const { db, path } = opened;
  return withLedgerErrors(path, () =>
    orClose(db, () => {
      const { knows, services } = runsIn(statementsOn(db));
      return {
        ...opened,
        knows: (job: string, list: string) => withLedgerErrors(path, () => knows(job, list)),
        services: () => withLedgerErrors(path, () => services()),
        ...jobFilesIn(db),
      };
    }),
  );
}

function tablesOf(statements: Statements) {
  const bodies = bodiesIn(statements);
  const services = servicesIn(statements);
  const lists = listsIn(statements);
  return {
    runs: runsIn(statements),
    /** Processes that worked on a run, and how each of them ended. */
    starts: startsIn(statements),
    /** When an answer counts as fetched, if the clock was set back. */
    clock: clockIn(statements),
    /** The last run that each destination received. */
    deliveries: deliveriesIn(statements),
    /** Versions of lists, as ids of their rows. */
    lists,
    /** Cells and candidates, stored once however many lists have them. */
    rows: rowsIn(statements),
    /** Rows of earlier lists that got something from a register. */
    registerRows: registerRowsIn(statements, lists),
    /** Results of rows, from a run on, and rows that wait for a call. */
    outcomes: outcomesIn(statements),
    services,
    /** Questions to a service, their leases, and the answers. */
    calls: callsIn(statements, bodies, services),
    /** People searches of companies, and whom they found. */
    searches: searchesIn(statements),
    /** Makes readers of what outputs show; each leaves out what its terms exclude. */
    records: recordsIn(statements, bodies, lists, services),
    /** What a run still needs, and how earlier runs went: the base of an estimate. */
    planning: planningIn(statements),
    /** Known companies that a run did not find, and those that rows keep. */
    misses: missesIn(statements),
    /** Known companies that were fetched again, and losses of fields that were accepted. */
    fills: fillsIn(statements),
    /** Sums behind a report. */
    tallies: talliesIn(statements),
    /** Counts of a run, also of an unfinished one. */
    progress: progressIn(statements),
    spend: spendIn(statements),
    /** Removes runs that a job need not keep. */
    prune: retentionIn(statements),
    /** Erases answers that a job no longer retains, unless other jobs use them. */
    expire: expiryIn(statements),
    /** Salted hashes of what must not be fetched again. */
    forgotten: forgottenIn(statements),
  };
}
