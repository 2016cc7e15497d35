import { existsSync, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder } from '../../runtime/files/atomic-file.ts';
import {
  openExisting,
  openFile,
  openFileToRead,
  prepareFile,
  refuseDamaged,
  sizeOf,
} from '../file/ledger-file.ts';
import { tellingTrouble, withTrouble } from '../file/ledger-trouble.ts';
import { realLedgerPath, refuseSecondName } from '../file/real-path.ts';
import { copyMoment } from './backup-ledger.ts';

/** Addresses of copies in the store. */
export interface CopyTokens {
  /** The copy that the ledger was last stored as or restored from. */
  readonly token: string | null;
  /** A copy being stored, or one whose process died before the store replied. */
  readonly pending: string | null;
}

const noTokens: CopyTokens = { token: null, pending: null };

/** The tokens of the ledger at a path, which is brought up to date; undefined without a ledger. */
export function readTokens(given: string): CopyTokens | undefined {
  // A process that was killed while it made the ledger has left a file without tables.
  if (sizeOf(realLedgerPath(given)) === 0) return undefined;
  return inLedger(given, tokensIn);
}

export function writeTokens(path: string, tokens: CopyTokens): void {
  inLedger(path, (db) => putTokens(db, tokens));
}

/** The tokens of a ledger that is only read, and how many answers came after one. */
export function lookAtTokens(ledger: string, lastAnswerId: number) {
  using file = openFileToRead(ledger);
  if (!file) return undefined;
  const tokens = withTrouble(file.path, () => tokensIn(file.db));
  return { ...tokens, answersSince: answersAfter(file.db, lastAnswerId) };
}

function tokensIn(db: Database.Database): CopyTokens {
  const tokens = db.prepare<[], CopyTokens>('select token, pending_token as pending from snapshot');
  return tokens.get() ?? noTokens;
}

function putTokens(db: Database.Database, tokens: CopyTokens): void {
  db.prepare(`
    insert or replace into snapshot (id, token, pending_token) values (1, :token, :pending)`).run(
    tokens,
  );
}

/** Where the last answer itself was pruned, its id may have been given again: then all count. */
function answersAfter(db: Database.Database, last: number): number {
  const after = db.prepare<{ last: number }, number>(`
    select count(*) from answer where id > iif((select max(id) from answer) < :last, 0, :last)`);
  return after.pluck().get({ last }) ?? 0;
}

/** Copies a ledger as it is at this moment. A whole check of 1 GB would take longer than a pod has for its end. */
export async function copyLedger(ledger: string, target: string) {
  using source = openExisting(ledger);
  const { lastAnswerId, answers } = await tellingTrouble(source.path, () =>
    copyMoment(source, target, 'quick_check'),
  );
  return { lastAnswerId, answers };
}

/** Checks a fetched copy before it becomes the ledger, and notes in it which copy it is. */
export function acceptCopy(copy: string, token: string): void {
  inFile(copy, token, (db) => {
    refuseDamaged(db, token);
    prepareFile(db, copy, true);
    putTokens(db, { token, pending: null });
    db.pragma('journal_mode = delete');
  });
}

/**
 * Puts a whole copy in the place of a ledger. The old ledger is renamed beside itself and never
 * overwritten: it may hold answers that no copy in the store has. Gives its new name.
 */
export async function placeLedger(copy: string, given: string): Promise<string | undefined> {
  const path = realLedgerPath(given);
  const hasOld = sizeOf(path) > 0;
  const replaced = `${path}.replaced-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
  if (hasOld) {
    refuseSecondName(path);
    // Moves the log into the file, so that the file alone is the whole ledger. Refused while it is in use.
    inFile(path, path, (db) => db.pragma('journal_mode = delete'));
    await rename(path, replaced);
  } else {
    // SQLite would read a log without a ledger into the new one.
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  }
  await rename(copy, path);
  await syncFolder(dirname(path));
  return hasOld ? replaced : undefined;
}

/** Watches whether anything writes to a ledger. A ledger that was not there has changed once it is. */
export function watchChanges(given: string): { hasChanged(): boolean } & Disposable {
  const path = realLedgerPath(given);
  const db = existsSync(path) ? new Database(path, { readonly: true }) : undefined;
  const version = () => db?.pragma('data_version', { simple: true });
  const before = version();
  return {
    hasChanged: () => (db ? version() !== before : existsSync(path)),
    [Symbol.dispose]: () => void db?.close(),
  };
}

/** A transaction of a run takes a fraction of this time. */
const busyMs = 2_000;

function inLedger<Result>(given: string, work: (db: Database.Database) => Result): Result {
  using file = openFile(given, { busyMs, mustExist: true });
  return withTrouble(file.path, () => file.db.transaction(() => work(file.db)).immediate());
}

function inFile<Result>(file: string, name: string, work: (db: Database.Database) => Result) {
  return withTrouble(name, () => {
    const db = new Database(file, { timeout: busyMs, fileMustExist: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  });
}
