import { existsSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import { syncFolder } from '../../runtime/files/atomic-file.ts';
import { openExisting, openFileToRead, prepareFile } from '../file/ledger-file.ts';
import { withTrouble } from '../file/ledger-trouble.ts';
import { realLedgerPath, refuseSecondName } from '../file/real-path.ts';
import { copyPages, refuseFullDisk } from './backup-ledger.ts';

/** Addresses of copies in the store. */
export interface CopyTokens {
  /** The copy that the ledger was last stored as or restored from. */
  readonly token: string | null;
  /** A copy being stored, or one whose process died before the store replied. */
  readonly pending: string | null;
}

const noTokens: CopyTokens = { token: null, pending: null };

/** A transaction of a run takes a fraction of this time. */
const busyMs = 2_000;

/** The tokens of the ledger at a path, which is brought up to date; undefined without a ledger. */
export function readTokens(given: string): CopyTokens | undefined {
  const path = realLedgerPath(given);
  if (!existsSync(path)) return undefined;
  try {
    return inLedger(path, tokensIn);
  } catch (error) {
    // A process that was killed while it made the ledger has left a file without tables.
    if (error instanceof DossierError && error.code === 'LEDGER_MISSING') return undefined;
    throw error;
  }
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
function answersAfter(db: Database.Database, lastAnswerId: number): number {
  const after = db.prepare<[number], number>('select count(*) from answer where id > ?').pluck();
  return after.get(greatestAnswerId(db) < lastAnswerId ? 0 : lastAnswerId) ?? 0;
}

function greatestAnswerId(db: Database.Database): number {
  return db.prepare<[], number>('select coalesce(max(id), 0) from answer').pluck().get() ?? 0;
}

/** Copies a ledger as it is at this moment to one file without a log. Runs may go on. */
export async function copyLedger(ledger: string, target: string) {
  using source = openExisting(ledger);
  source.db.exec('begin');
  // The transaction shows the moment of its first read.
  const lastAnswerId = greatestAnswerId(source.db);
  const answers = source.db.prepare<[], number>('select count(*) from answer').pluck().get() ?? 0;
  refuseFullDisk(source.db, target, 'LEDGER_TROUBLE');
  await copyPages(source.db, target, {});
  source.db.exec('rollback');
  inFile(target, source.path, (db) => {
    db.pragma('journal_mode = delete');
    refuseDamaged(db, source.path);
  });
  return { lastAnswerId, answers };
}

/** Checks a fetched copy before it becomes the ledger, and notes in it which copy it is. */
export function acceptCopy(copy: string, token: string): void {
  inFile(copy, token, (db) => {
    refuseDamaged(db, token);
    prepareFile(db, copy, { mustExist: true });
    putTokens(db, { token, pending: null });
    db.pragma('journal_mode = delete');
  });
}

/** Without its indexes: a whole check of 1 GB takes longer than a pod has for its end. */
function refuseDamaged(db: Database.Database, path: string): void {
  const found = String(db.pragma('quick_check(1)', { simple: true }));
  if (found !== 'ok') throw new DossierError('LEDGER_DAMAGED', `${path} is damaged: ${found}`);
}

/**
 * Puts a whole copy in the place of a ledger. The old ledger is renamed beside itself and never
 * overwritten: it may hold answers that no copy in the store has. Gives its new name.
 */
export async function placeLedger(copy: string, given: string): Promise<string | undefined> {
  const path = realLedgerPath(given);
  const hasOld = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const replaced = `${path}.replaced-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
  if (hasOld) {
    foldLog(path);
    await rename(path, replaced);
  } else {
    // SQLite would read a log without a ledger into the new one.
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  }
  await rename(copy, path);
  await syncFolder(dirname(path));
  return hasOld ? replaced : undefined;
}

/** Moves the log into the file, so that the file alone is the whole ledger. Refused while it is in use. */
function foldLog(path: string): void {
  refuseSecondName(path);
  inFile(path, path, (db) => db.pragma('journal_mode = delete'));
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

function inLedger<Result>(given: string, work: (db: Database.Database) => Result): Result {
  const path = realLedgerPath(given);
  refuseSecondName(path);
  return inFile(path, path, (db) => {
    prepareFile(db, path, { mustExist: true });
    return db.transaction(() => work(db)).immediate();
  });
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
