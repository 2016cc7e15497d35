import Database from 'better-sqlite3';
import { DossierError } from '../../../errors.ts';
import { withTrouble } from '../../file/ledger-trouble.ts';
import { copyPages, refuseFullDisk } from '../copy-pages.ts';
import { openExisting } from '../open-existing.ts';
import { greatestAnswerId, markCopy, readNoteIn, type SnapshotNote } from './snapshot-note.ts';

/** Which snapshot a copy is. */
export interface SnapshotMark {
  readonly generation: number;
  readonly token: string;
  readonly storedAt: number;
  readonly place: string;
}

export interface CopiedLedger {
  readonly lastAnswerId: number;
  readonly answers: number;
}

/** Copies a ledger as it is at this moment to one file without a log, and marks the copy. Runs may go on. */
export async function copyAsSnapshot(
  ledger: string,
  target: string,
  mark: SnapshotMark,
): Promise<CopiedLedger> {
  using source = openExisting(ledger);
  source.db.exec('begin');
  // The transaction shows the moment of its first read.
  greatestAnswerId(source.db);
  refuseFullDisk(source.db, target, 'LEDGER_TROUBLE');
  await copyPages(source.db, target, {});
  source.db.exec('rollback');
  return inCopy(target, source.path, (db) => {
    db.pragma('journal_mode = delete');
    refuseDamaged(db, source.path);
    markCopy(db, mark);
    const answers = db.prepare<[], number>('select count(*) from answer').pluck().get() ?? 0;
    return { lastAnswerId: greatestAnswerId(db), answers };
  });
}

/** Looks a copy through before it takes the place of a ledger, and gives its note. */
export function examineCopy(copy: string, name: string): SnapshotNote | undefined {
  return inCopy(copy, name, (db) => {
    refuseDamaged(db, name);
    return readNoteIn(db);
  });
}

function inCopy<Result>(copy: string, name: string, work: (db: Database.Database) => Result) {
  return withTrouble(name, () => {
    const db = new Database(copy, { fileMustExist: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  });
}

/** Without its indexes: a whole check of 1 GB takes longer than a pod has for its end. */
function refuseDamaged(db: Database.Database, path: string): void {
  const found = String(db.pragma('quick_check(1)', { simple: true }));
  if (found !== 'ok') throw new DossierError('LEDGER_DAMAGED', `${path} is damaged: ${found}`);
}
