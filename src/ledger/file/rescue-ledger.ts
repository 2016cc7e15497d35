import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { makeLedgerFolder } from './make-folder.ts';

/** Time in which room may be made or a disk come back, before what was paid for is given up. */
const patienceMs = 30_000;
const pauseMs = 500;

/**
 * Writes all that is in a removed ledger to its path, or else to the first of the folders that takes it.
 * SQLite still reads the removed file while it is open. Gives the path of the copy.
 */
export function rescueLedger(
  db: Database,
  { path, isTaken }: { readonly path: string; readonly isTaken: boolean },
  folders: readonly string[],
): string {
  const extension = extname(path);
  const name = `${basename(path, extension)}.rescued-${process.pid}${extension}`;
  const places = [...(isTaken ? [] : [path]), ...folders.map((folder) => join(folder, name))];
  const startedAt = performance.now();
  for (;;) {
    const failures: string[] = [];
    for (const place of places) {
      try {
        writeCopy(db, place);
        return place;
      } catch (error) {
        failures.push(`${place}: ${(error as Error).message}`);
      }
    }
    if (performance.now() - startedAt > patienceMs) {
      const message = `${path} was removed while it was in use, and could be saved nowhere (${failures.join('; ')})`;
      throw new DossierError('LEDGER_TROUBLE', message);
    }
    pause();
  }
}

function writeCopy(db: Database, place: string): void {
  makeLedgerFolder(dirname(place));
  // Creating the file keeps it to this user, and follows no link that another user has put there.
  closeSync(openSync(place, 'wx', 0o600));
  try {
    db.prepare('vacuum into ?').run(place);
    const file = openSync(place, 'r+');
    fsyncSync(file);
    closeSync(file);
  } catch (error) {
    rmSync(place, { force: true });
    throw error;
  }
}

/** The transaction that found the loss is not asynchronous, so neither is this. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}
