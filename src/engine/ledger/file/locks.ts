import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import { retry } from '../../../core/runtime/retry.ts';
import {
  asLedgerTrouble,
  isBusy,
  isOutOfFiles,
  makeLedgerFolder,
  realLedgerPath,
} from './ledger-path.ts';

/**
 * Locks a file: an exclusive transaction on an empty database at this path, which dies with its process. The file is
 * removed when the lock is given back. Undefined while another process holds the lock.
 */
export function tryLockFile(path: string, waitMs = 0): Disposable | undefined {
  const held = hold(path, waitMs);
  return (
    held && {
      [Symbol.dispose]() {
        // A process that waits for this lock finds, once it has it, that the file is not at its path.
        if (isAt(path, held.file)) rmSync(path, { force: true });
        held.db.close();
      },
    }
  );
}

/** Whether a process holds the lock of a job now. Looks without leaving anything behind. */
export function isJobLocked(ledgerPath: string, job: string): boolean {
  const path = lockPath(ledgerPath, job);
  if (!identityOf(path)) return false;
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { readonly: true, timeout: 0 });
    db.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    // The lock was given back in between.
    if (!identityOf(path)) return false;
    throw error;
  } finally {
    db?.close();
  }
}

/** The locked file is the one at the path only if the same file was there before and afterwards. */
function hold(path: string, waitMs: number) {
  for (;;) {
    const file = identityOf(path);
    const db = new Database(path, { timeout: waitMs });
    try {
      // Nothing is ever written, so there is nothing to roll back and no file for that.
      db.pragma('journal_mode = memory');
      db.exec('begin exclusive');
      if (file && isAt(path, file)) return { db, file };
    } catch (error) {
      db.close();
      if (isBusy(error)) return undefined;
      throw error;
    }
    db.close();
  }
}

/** Whether a file is the one at a path. */
export function isAt(path: string, { dev, ino }: { dev: number; ino: number }): boolean {
  const found = identityOf(path);
  return found?.ino === ino && found.dev === dev;
}

function identityOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}

/** Longer than most exports need. */
const folderPatienceMs = 60_000;

/**
 * Makes sure that one process at a time writes to a folder: the files of one export between those of
 * another would fit no manifest. Waits for the other process to end.
 */
export async function lockFolder(
  folder: string,
  { waitMs = folderPatienceMs, signal }: { waitMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<Disposable> {
  const busy = new DossierError('OUTPUT_BUSY', `another process is writing to ${folder}`);
  const attempt = () => {
    const lock = lockIfPossible(join(folder, '.dossier.lock'));
    if (!lock) throw busy;
    return lock;
  };
  const canRetry = (error: unknown) => error === busy;
  return await retry(attempt, { canRetry, waitMs: 100, untilMs: waitMs, signal });
}

/** Where no file can be made, writing the outputs says why; a disk without locks is used without. */
function lockIfPossible(path: string): Disposable | undefined {
  try {
    return tryLockFile(path);
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}

/** Longer than a process holds the lock only to see whether it is free. */
export const glanceMs = 250;

/** Makes sure that a job runs once at a time on a ledger. */
export function lockJob(ledgerPath: string, job: string): Disposable {
  const lock = tryLockJob(ledgerPath, job, glanceMs);
  if (lock) return lock;
  throw new DossierError('JOB_BUSY', `another run of ${job} is under way`);
}

/** Undefined while another process holds the lock. */
export function tryLockJob(ledgerPath: string, job: string, waitMs = 0): Disposable | undefined {
  const path = lockPath(ledgerPath, job);
  makeLedgerFolder(dirname(path));
  try {
    return tryLockFile(path, waitMs);
  } catch (error) {
    if (isOutOfFiles(error)) throw asLedgerTrouble(path, error);
    const reason = (error as Error).message;
    throw new DossierError('LEDGER_TROUBLE', `cannot lock ${path}: ${reason}`, { cause: error });
  }
}

/** `@` is in no name of a job, so a slot is never taken for one. */
const slotName = /^lookup@[1-9]\d*$/;

/**
 * Takes the first free slot, since lookups may go on side by side. The holder of a slot knows that the
 * one before has ended, and may recover its leases. `job` names the lookups of the slot in the ledger.
 */
export function takeLookupSlot(ledgerPath: string): Disposable & { readonly job: string } {
  for (let place = 1; ; place += 1) {
    const job = `lookup@${place}`;
    const lock = tryLockJob(ledgerPath, job);
    if (lock) return { job, ...lock };
  }
}

export function isLookupSlot(job: string): boolean {
  return slotName.test(job);
}

function lockPath(ledgerPath: string, job: string): string {
  return `${realLedgerPath(ledgerPath)}.${job}.lock`;
}
