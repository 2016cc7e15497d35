import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { makeLedgerFolder } from '../file/make-folder.ts';
import { realLedgerPath } from '../file/real-path.ts';
import { openLedger } from '../open-ledger.ts';

/** Makes a new ledger and gives its path. Refuses where a file is there, even an empty one. */
export function createLedger(given: string): string {
  const path = realLedgerPath(given);
  makeLedgerFolder(dirname(path));
  try {
    closeSync(openSync(path, 'wx'));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new DossierError('LEDGER_EXISTS', `${path} is there already`);
    throw new DossierError('LEDGER_TROUBLE', `${path} cannot be made: ${message}`, { cause });
  }
  try {
    openLedger(path)[Symbol.dispose]();
  } catch (error) {
    // Left behind, it would be refused as a ledger that is there already.
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true });
    throw error;
  }
  return path;
}
