import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../errors.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Makes sure that a job runs once at a time. The lock is an exclusive transaction on a database of
 * its own beside the ledger: it dies with the process, however that ends.
 */
export function lockJob(ledgerPath: string, job: string): Disposable {
  const lock = tryLockJob(ledgerPath, job, patienceMs);
  if (lock) return lock;
  throw new DossierError('JOB_BUSY', `another run of ${job} is under way`);
}

/** Another job may hold the lock for an instant, to see whether its owner is alive. */
const patienceMs = 500;

/** Undefined while another process holds the lock. */
export function tryLockJob(ledgerPath: string, job: string, timeout = 0): Disposable | undefined {
  const path = `${ledgerPath}.${job}.lock`;
  makeFolder(dirname(path));
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout });
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
