import Database from 'better-sqlite3';
import { openLedgerToRead } from '../open-ledger.ts';
import { refuseDamaged } from './ledger-file.ts';
import { isBusy, withTrouble } from './ledger-trouble.ts';
import { isLookupSlot } from './locks.ts';
import { realLedgerPath, refuseSecondName } from './real-path.ts';

/** Makes sure that a ledger is whole, can be written and is of a version that we know. */
export function checkLedger(path: string): { runs: number } {
  const place = realLedgerPath(path);
  refuseSecondName(place);
  checkFile(place);
  using ledger = openLedgerToRead(path);
  // Like `status`: a lookup is no run of a job, and a run whose list could not be read is none at all.
  const runs = ledger?.runs.list().filter(({ job, state }) => {
    return state !== 'ingesting' && !isLookupSlot(job);
  });
  return { runs: runs?.length ?? 0 };
}

function checkFile(path: string): void {
  withTrouble(path, () => {
    const db = new Database(path, { fileMustExist: true, timeout: 0 });
    try {
      refuseDamaged(db, path);
      db.exec('begin immediate');
      db.exec('rollback');
    } catch (error) {
      // A ledger that is busy can be written, too.
      if (!isBusy(error)) throw error;
    } finally {
      db.close();
    }
  });
}
