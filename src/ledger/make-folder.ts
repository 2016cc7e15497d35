import { mkdirSync } from 'node:fs';
import { DossierError } from '../errors.ts';

export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new DossierError('LEDGER_TROUBLE', `cannot make the folder ${path}: ${reason}`, {
      cause,
    });
  }
}
