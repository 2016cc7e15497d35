import { existsSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { canOpenFiles, makeFolder } from '../../../core/runtime/files/disk.ts';
import { outsideFailure } from '../../../core/runtime/outside-failures.ts';

/**
 * The path of a ledger with all symbolic links followed, so that locks and SQLite's log lie beside the
 * file itself, whatever name it was called by. The file need not exist yet.
 */
export function realLedgerPath(given: string): string {
  const path = resolve(given);
  try {
    return realpathSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') {
      throw new DossierError('LEDGER_TROUBLE', `${given} is a link that leads to itself`);
    }
    // What does not exist yet lies below a folder that does, or where a link leads.
    const place = join(realLedgerPath(dirname(path)), basename(path));
    try {
      return realLedgerPath(resolve(dirname(place), readlinkSync(place)));
    } catch {
      return place;
    }
  }
}

/**
 * Refuses a ledger that has a second name. SQLite keeps its log and its locks by name, so two processes
 * that use two names see each other's answers late or never, and pay for the same calls.
 */
export function refuseSecondName(path: string): void {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile()) return;
  if (facts.nlink > 1) {
    throw new DossierError('LEDGER_MISPLACED', `${path} is one file under ${facts.nlink} names`);
  }
  if (isMountPoint(path)) {
    throw new DossierError('LEDGER_MISPLACED', `${path} is mounted as a single file`);
  }
}

/**
 * Only Linux mounts single files, and lists what is mounted. The number of the device does not tell: a
 * file of an overlay may have another than its folder, and a bind mount may have the same.
 */
function isMountPoint(path: string): boolean {
  const list = '/proc/self/mountinfo';
  if (!existsSync(list)) return false;
  return readFileSync(list, 'utf8')
    .split('\n')
    .some((line) => unescaped(line.split(' ')[4] ?? '') === path);
}

/** Linux writes a space in a path as `\040`. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

export function makeLedgerFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    const message = `cannot make the folder ${path}: ${(cause as Error).message}`;
    throw new DossierError('LEDGER_TROUBLE', message, { cause });
  }
}

/** The file, its log, the index of the log, and a journal when it is made. */
const filesOfLedger = 4;

/** The name of a ledger that is gone when it is closed. */
export const temporary = ':temporary:';

/** Turns an error of SQLite into one that tells the user what to repair. */
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

/** A full disk or a broken file is the user's to repair and no bug; any other error stays itself. */
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
