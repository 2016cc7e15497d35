import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { DossierError } from '../../../errors.ts';
import { withTrouble } from '../../file/ledger-trouble.ts';
import { prepareFile } from '../../file/prepare-file.ts';
import { realLedgerPath, refuseSecondName } from '../../file/real-path.ts';
import { openExisting } from '../open-existing.ts';
import {
  beginNote,
  noteAside,
  notePending,
  readNoteIn,
  type SnapshotNote,
  settlePending,
} from './snapshot-note.ts';

/** A transaction of a run takes a fraction of that; who waits longer tries again later. */
const busyMs = 2_000;

/** The note of the ledger at a path, which is made where there is none; undefined without a ledger. */
export function takeNote(given: string): SnapshotNote | undefined {
  const path = realLedgerPath(given);
  if (!existsSync(path)) return undefined;
  try {
    return changeNote(path, (db) => {
      beginNote(db);
      return readNoteIn(db);
    });
  } catch (error) {
    // A process that was killed while it made the ledger has left a file without tables.
    if (error instanceof DossierError && error.code === 'LEDGER_MISSING') return undefined;
    throw error;
  }
}

/** The note of a ledger that is only read. */
export function lookAtNote(path: string): SnapshotNote | undefined {
  using file = openExisting(path);
  return withTrouble(path, () => readNoteIn(file.db));
}

/** Notes that a copy is on its way, before anybody can have it. */
export function putPending(path: string, pending: Parameters<typeof notePending>[1]): void {
  changeNote(path, (db) => notePending(db, pending));
}

/** Notes that the copy on its way is the newest snapshot now. */
export function putSettled(path: string, taken: Parameters<typeof settlePending>[1]): void {
  changeNote(path, (db) => settlePending(db, taken));
}

/** Notes that a copy with all answers up to this one was stored aside. */
export function putAsideNote(path: string, answerId: number): void {
  changeNote(path, (db) => noteAside(db, answerId));
}

function changeNote<Result>(given: string, work: (db: Database.Database) => Result): Result {
  const path = realLedgerPath(given);
  return withTrouble(path, () => {
    refuseSecondName(path);
    const db = new Database(path, { timeout: busyMs, fileMustExist: true });
    try {
      prepareFile(db, path, { mustExist: true });
      return db.transaction(() => work(db)).immediate();
    } finally {
      db.close();
    }
  });
}
