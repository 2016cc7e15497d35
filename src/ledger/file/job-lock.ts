import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { makeLedgerFolder } from './make-folder.ts';

/** Longer than a process holds the lock only to see whether it is free. */
export const glanceMs = 250;

/**
 * Makes sure that a job runs once at a time. The lock is an exclusive transaction on a database of
 * its own beside the ledger: it dies with the process, however that ends.
 */
export function lockJob(ledgerPath: string, job: string): Disposable {
  const lock = tryLockJob(ledgerPath, job, glanceMs);
  if (lock) return lock;
  throw new DossierError('JOB_BUSY', `another run of ${job} is under way`);
}

/** Undefined while another process holds the lock. */
export function tryLockJob(ledgerPath: string, job: string, waitMs = 0): Disposable | undefined {
  const path = lockPath(ledgerPath, job);
  makeLedgerFolder(dirname(path));
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: waitMs });
    db.exec('begin exclusive');
    const held = db;
    return { [Symbol.dispose]: () => void held.close() };
  } catch (error) {
    db?.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined;
    const reason = (error as Error).message;
    throw new DossierError('LEDGER_TROUBLE', `cannot lock ${path}: ${reason}`, { cause: error });
  }
}

/** Whether a process holds the lock now. Looks without leaving anything behind. */
export function isJobLocked(ledgerPath: string, job: string): boolean {
  const path = lockPath(ledgerPath, job);
  if (!existsSync(path)) return false;
  const db = new Database(path, { readonly: true, timeout: 0 });
  try {
    db.prepare('select 1 from sqlite_schema').get();
    return false;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    db.close();
  }
}

function lockPath(ledgerPath: string, job: string): string {
  return `${ledgerPath}.${job}.lock`;
}
