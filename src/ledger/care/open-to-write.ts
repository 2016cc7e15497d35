import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { type FileLock, tryLockFile } from '../file/file-lock.ts';
import { withTrouble } from '../file/ledger-trouble.ts';
import { makeLedgerFolder } from '../file/make-folder.ts';
import { prepareFile, refuseMissing } from '../file/prepare-file.ts';
import { realLedgerPath, refuseSecondName } from '../file/real-path.ts';

/** The file of a ledger, open to be changed by a command that cares for it. */
export interface FileToWrite extends Disposable {
  readonly db: Database.Database;
  readonly path: string;
}

/** How long to wait for a transaction of a run, which takes a fraction of a second. */
const busyMs = 60_000;

/** Opens the file of a ledger. Only one command at a time cares for a ledger. */
export function openToWrite(given: string, { mustExist = true } = {}): FileToWrite {
  const path = realLedgerPath(given);
  return withTrouble(path, () => {
    if (mustExist) refuseMissing(path);
    else makeLedgerFolder(dirname(path));
    refuseSecondName(path);
    const lock = lockCare(path);
    let db: Database.Database | undefined;
    const close = () => {
      db?.close();
      lock[Symbol.dispose]();
    };
    try {
      db = new Database(path, { timeout: busyMs, fileMustExist: mustExist });
      prepareFile(db, path, { mustExist });
      return { db, path, [Symbol.dispose]: close };
    } catch (error) {
      close();
      throw error;
    }
  });
}

/** `@` stands in no name of a job, so that the lock is taken for none of a run. */
function lockCare(path: string): FileLock {
  const lock = tryLockFile(`${path}.care@1.lock`);
  if (lock) return lock;
  throw new DossierError('CARE_BUSY', `another \`dossier ledger\` command is at work on ${path}`);
}
