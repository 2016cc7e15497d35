import { DossierError } from '../../errors.ts';
import { type FileToRead, openFileToRead } from '../file/open-to-read.ts';

/** Opens the file of a ledger that has to be there, to read. */
export function openExisting(path: string): FileToRead {
  const opened = openFileToRead(path);
  if (opened) return opened;
  throw new DossierError('LEDGER_MISSING', `there is no ledger at ${path}`);
}
