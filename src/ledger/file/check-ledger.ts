import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../open-ledger.ts';
import { isLookupSlot } from './lookup-slots.ts';
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
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { fileMustExist: true, timeout: 0 });
    const found = String(db.pragma('quick_check(1)', { simple: true }));
    if (found !== 'ok') throw new DossierError('LEDGER_DAMAGED', `${path} is damaged: ${found}`);
    claimWriting(db);
  } catch (error) {
    if (error instanceof DossierError) throw error;
    const { code, message } = error as { code?: string; message: string };
    const isDamaged = code?.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
    throw new DossierError(
      isDamaged ? 'LEDGER_DAMAGED' : 'LEDGER_TROUBLE',
      `${path} ${isDamaged ? 'is damaged' : 'cannot be written'}: ${message}`,
      { cause: error },
    );
  } finally {
    db?.close();
  }
}

/** Begins to write and rolls back. A ledger that is busy can be written, too. */
function claimWriting(db: Database.Database): void {
  try {
    db.exec('begin immediate');
    db.exec('rollback');
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
  }
}
