import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DossierError } from '../../errors.ts';
import { freeBytesAt } from '../../runtime/files/free-bytes.ts';

const leastBytes = 1_024 * 1_024;
/** A large answer, compressed, and its share of SQLite's log. */
const bytesPerCall = 64 * 1_024;

/**
 * Refuses to call where the answers could not be stored. Without this, a run that is started again and
 * again on a full disk pays for its first calls each time.
 */
export function requireRoom(ledger: string, concurrency: number): void {
  // The file may be a link to another disk than that of the folder.
  const freeBytes = freeBytesAt(existsSync(ledger) ? ledger : dirname(ledger));
  if (freeBytes === undefined || freeBytes >= leastBytes + concurrency * bytesPerCall) return;
  const free = `${Math.floor(freeBytes / 1_024)} KB`;
  throw new DossierError(
    'LEDGER_TROUBLE',
    `${ledger} has only ${free} left on its disk; answers would be paid for and lost`,
  );
}
