import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DossierError } from '../../../core/errors.ts';
import { isFileLocked, tryLockFile } from '../../../platform/files/lock-file.ts';
import { makeLedgerFolder, realLedgerPath } from './ledger-path.ts';

export function isJobLocked(ledgerPath: string, job: string): boolean {
  return isFileLocked(lockPath(ledgerPath, job));
}

/** Names of lock files, held or not: jobs, slots of lookups, and `maintenanceLock`. */
export function lockNames(ledgerPath: string): string[] {
  const [start, end] = [`${basename(ledgerPath)}.`, '.lock'];
  return readdirSync(dirname(ledgerPath))
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => name.slice(start.length, -end.length));
}

/** Outlasts a glance of `isJobLocked` from elsewhere, which would look like a running job. */
export const lockWaitMs = 250;

export function lockJob(ledgerPath: string, job: string): Disposable {
  const lock = tryLockJob(ledgerPath, job, lockWaitMs);
  if (lock) return lock;
  throw new DossierError('JOB_BUSY', `another run of ${job} is still in progress`);
}

/** Locks all jobs, or none. */
export function lockJobs(ledgerPath: string, jobs: readonly string[]): Disposable {
  const locks: Disposable[] = [];
  const release = () => {
    for (const lock of locks) lock[Symbol.dispose]();
  };
  try {
    for (const job of jobs) locks.push(lockJob(ledgerPath, job));
  } catch (error) {
    release();
    throw error;
  }
  return { [Symbol.dispose]: release };
}

export function tryLockJob(ledgerPath: string, job: string, waitMs = 0): Disposable | undefined {
  const path = lockPath(ledgerPath, job);
  makeLedgerFolder(dirname(path));
  try {
    return tryLockFile(path, waitMs);
  } catch (error) {
    const reason = (error as Error).message;
    throw new DossierError('LEDGER_TROUBLE', `cannot lock ${path}: ${reason}`, { cause: error });
  }
}

/** Held by the one `dossier ledger` command that may change the ledger. It has no run. */
export const maintenanceLock = 'care@1';

/**
 * A lookup takes a free slot as its job; no job can have this name, because of the `@`. The last
 * process of that slot has ended, so its leases can be recovered.
 */
export function takeLookupSlot(ledgerPath: string): Disposable & { readonly job: string } {
  for (let slot = 1; ; slot += 1) {
    const job = `lookup@${slot}`;
    const lock = tryLockJob(ledgerPath, job);
    if (lock) return { job, ...lock };
  }
}

function lockPath(ledgerPath: string, job: string) {
  return `${realLedgerPath(ledgerPath)}.${job}.lock`;
}
