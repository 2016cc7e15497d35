import { tmpdir } from 'node:os';
import Database from 'better-sqlite3';
import { canOpenFiles } from '../../runtime/files/disk.ts';
import { outsideFailure } from '../../runtime/outside-failures.ts';

/** The file, its log, the index of the log, and a journal when it is made. */
const filesOfLedger = 4;

/** The name of a ledger that is gone when it is closed. */
export const temporary = ':temporary:';

/** Turns an error of SQLite into one that tells the user what to mend. */
export function withTrouble<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asLedgerTrouble(path, error);
  }
}

/** Does so for all that a command does with a ledger, reading included. */
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
  // SQLite writes a temporary database to TMPDIR once it outgrows memory, and fails where it may not.
  const draft = `the draft, which goes to TMPDIR (${tmpdir()}) when it is large,`;
  const failure = isOutOfFiles(error) ? { code: 'EMFILE', cause: error } : error;
  return outsideFailure('ledger', path === temporary ? draft : path, failure);
}

/** Whether another connection holds the database. */
export function isBusy(error: unknown): boolean {
  return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') === true;
}

/** SQLite says only that it cannot open a file. */
export function isOutOfFiles(error: unknown): boolean {
  const isUnopened = (error as { code?: string }).code?.startsWith('SQLITE_CANTOPEN') === true;
  return isUnopened && !canOpenFiles(filesOfLedger);
}
