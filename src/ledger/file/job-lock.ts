import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { type FileLock, isFileLocked, tryLockFile } from './file-lock.ts';
import { asLedgerTrouble, isOutOfFiles } from './ledger-trouble.ts';
import { makeLedgerFolder } from './make-folder.ts';
import { realLedgerPath } from './real-path.ts';

/** Longer than a process holds the lock only to see whether it is free. */
export const glanceMs = 250;

/** Makes sure that a job runs once at a time on a ledger. */
export function lockJob(ledgerPath: string, job: string): FileLock {
  const lock = tryLockJob(ledgerPath, job, glanceMs);
  if (lock) return lock;
  throw new DossierError('JOB_BUSY', `another run of ${job} is under way`);
}

/** Undefined while another process holds the lock. */
export function tryLockJob(ledgerPath: string, job: string, waitMs = 0): FileLock | undefined {
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

/** Whether jobs can be locked at all: not where the ledger may only be read. */
export function canLockJobs(ledgerPath: string): boolean {
  try {
    accessSync(dirname(realLedgerPath(ledgerPath)), constants.W_OK);
    return true;
  } catch (error) {
    // A folder that is not there yet can be made.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Whether a process holds the lock now. */
export function isJobLocked(ledgerPath: string, job: string): boolean {
  return isFileLocked(lockPath(ledgerPath, job));
}

/** Shorter than a process takes to start: a removed lock file is put back before another can lock it. */
const keepEveryMs = 100;

/**
 * Puts the lock back where its file is removed. Should another process be faster, it takes over the
 * runs of the job, and this process stops at its next write.
 */
export function keepLocked(lock: FileLock): Disposable {
  const timer = setInterval(() => {
    try {
      lock.keep();
    } catch {
      // Where the folder is gone, the next write to the ledger says so.
    }
  }, keepEveryMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function lockPath(ledgerPath: string, job: string): string {
  return `${realLedgerPath(ledgerPath)}.${job}.lock`;
}
