import { DossierError } from '../../errors.ts';
import { makeFolder } from '../../runtime/files/make-folder.ts';

export function makeLedgerFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new DossierError('LEDGER_TROUBLE', `cannot make the folder ${path}: ${reason}`, {
      cause,
    });
  }
}
