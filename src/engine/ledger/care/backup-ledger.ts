import { chmodSync, existsSync, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError } from '../../../core/errors.ts';
import {
  claimTemporary,
  removeLeftovers,
  requireRegularFile,
  syncFolder,
} from '../../../platform/files/atomic-file.ts';
import { makeFolder } from '../../../platform/files/disk.ts';
import { isAt } from '../../../platform/files/lock-file.ts';
import {
  isOutdated,
  type LedgerFile,
  openExisting,
  openFile,
  openFileToRead,
  prepareFile,
  refuseDamaged,
  sizeOf,
  upgradeSchema,
} from '../file/ledger-file.ts';
import { renewLedgerId } from '../file/ledger-id.ts';
import {
  realLedgerPath,
  refuseMountedFile,
  withLedgerErrors,
  withLedgerErrorsAsync,
} from '../file/ledger-path.ts';

/** Checks the copy under a temporary name first, so a bad copy never replaces a good one. */
export async function backupLedger(
  given: string,
  target: string,
  options: {
    readonly isForced: boolean;
    readonly signal: AbortSignal;
    onProgress(share: number): void;
  },
) {
  using source = openExisting(given, true);
  const path = realLedgerPath(target);
  try {
    await refuseTarget(source, path, options.isForced);
    makeFolder(dirname(path));
    const copied = await copyTo(path, source, 'integrity_check', options);
    return { ledger: source.path, path, ...copied };
  } catch (error) {
    throw asBackupError(source.path, path, error);
  }
}

/** `path` never holds half a copy. */
export async function copyTo(
  path: string,
  source: LedgerFile,
  check: Parameters<typeof refuseDamaged>[2],
  options: Parameters<typeof copyMoment>[3] = {},
) {
  await using copy = claimTemporary(path);
  const temporary = copy.path;
  await removeLeftovers(dirname(path));
  const { answers, runs } = await copyMoment(source, temporary, check, options);
  inFile(temporary, temporary, renewLedgerId);
  chmodSync(temporary, statSync(source.path).mode & 0o777);
  await using file = await open(temporary, 'r+');
  await file.sync();
  const bytes = statSync(temporary).size;
  options.signal?.throwIfAborted();
  await rename(temporary, path);
  await syncFolder(dirname(path));
  return { bytes, answers, runs };
}

async function refuseTarget(source: LedgerFile, path: string, isForced: boolean) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return;
  await requireRegularFile(path);
  if (isAt(source.path, found)) {
    throw new DossierError('USAGE', `${path} is the ledger itself; name another file`);
  }
  if (existsSync(`${path}-wal`)) {
    throw new DossierError(
      'FILE_UNWRITABLE',
      `${path} is a ledger in use: it has a log file beside it, which a backup never has`,
    );
  }
  if (!isForced) throw new DossierError('FILE_EXISTS', `${path} already exists`);
}

function asBackupError(ledger: string, path: string, error: unknown): unknown {
  const isKnown = error instanceof DossierError;
  if (isKnown && !['OUTPUT_TROUBLE', 'LEDGER_TROUBLE'].includes(error.code)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) {
    return new DossierError('LEDGER_DAMAGED', `${ledger} is damaged: ${message}`, { cause: error });
  }
  if (!isKnown && code === '') return error;
  const reason = isKnown ? message : `${path} cannot be written: ${message}`;
  return new DossierError('FILE_UNWRITABLE', reason, { cause: error });
}

/** 4 MB, so signals are handled in between. */
const pagesAtOnce = 1_000;

async function copyMoment(
  { db, path }: LedgerFile,
  target: string,
  check: Parameters<typeof refuseDamaged>[2],
  { signal, onProgress }: { signal?: AbortSignal; onProgress?(share: number): void } = {},
) {
  // Without a transaction, each commit of a run would restart the copy.
  db.exec('begin');
  const counts = db
    .prepare(`
      select count(*) as answers, (select count(*) from run) as runs,
        coalesce(max(id), 0) as lastAnswerId from answer`)
    .get() as Record<'answers' | 'runs' | 'lastAnswerId', number>;
  await db.backup(target, {
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted();
      onProgress?.(1 - remainingPages / Math.max(1, totalPages));
      return pagesAtOnce;
    },
  });
  db.exec('rollback');
  const copy = new Database(target);
  try {
    // Without a log, the copy is a single file and can be read on a read-only disk.
    copy.pragma('journal_mode = delete');
    refuseDamaged(copy, path, check);
    return counts;
  } finally {
    copy.close();
  }
}

export interface CopyTokens {
  readonly token: string | null;
  /** Token of a copy whose upload may not have been confirmed. */
  readonly pending: string | null;
}

export function readTokens(given: string): CopyTokens | undefined {
  // A process killed while creating the ledger leaves an empty file.
  if (sizeOf(realLedgerPath(given)) === 0) return undefined;
  return inLedger(given, tokensIn);
}

export function writeTokens(path: string, tokens: CopyTokens): void {
  inLedger(path, (db) => putTokens(db, tokens));
}

/** Unlike `readTokens`, takes no write lock. */
export function lookAtTokens(ledger: string, lastAnswerId: number) {
  using file = openFileToRead(ledger);
  if (!file) return undefined;
  const tokens = withLedgerErrors(file.path, () => tokensIn(file.db));
  return { ...tokens, answersSince: answersAfter(file.db, lastAnswerId) };
}

function tokensIn(db: Database.Database): CopyTokens {
  const tokens = db.prepare<[], CopyTokens>('select token, pending_token as pending from snapshot');
  return tokens.get() ?? { token: null, pending: null };
}

function putTokens(db: Database.Database, tokens: CopyTokens) {
  db.prepare(`
    insert or replace into snapshot (id, token, pending_token) values (1, :token, :pending)`).run(
    tokens,
  );
}

/** Counts all answers if the newest were pruned, because their ids may be reused. */
function answersAfter(db: Database.Database, last: number) {
  const after = db.prepare<{ last: number }, number>(`
    select count(*) from answer where id > iif((select max(id) from answer) < :last, 0, :last)`);
  return after.pluck().get({ last }) ?? 0;
}

/** Checks the copy quickly: a full check of 1 GB would take longer than a pod's shutdown allows. */
export async function copyLedger(ledger: string, target: string) {
  using source = openExisting(ledger);
  return await withLedgerErrorsAsync(source.path, () => copyMoment(source, target, 'quick_check'));
}

export function acceptCopy(copy: string, token: string, mayLackRuns: boolean): void {
  inFile(copy, token, (db) => {
    refuseDamaged(db, token);
    upgradeFile(db, token);
    prepareFile(db, copy, true);
    putTokens(db, { token, pending: null });
    // The next run would get a number that destinations know from a lost run.
    if (mayLackRuns) renewLedgerId(db);
    db.pragma('journal_mode = delete');
  });
}

/** For a download that is read once, where no older version can meet it. */
export function upgradeCopy(copy: string): void {
  inFile(copy, copy, (db) => upgradeFile(db, copy));
}

function upgradeFile(db: Database.Database, name: string) {
  if (isOutdated(db, name)) db.transaction(upgradeSchema)(db);
}

/** Renames the old ledger, which may hold answers that no copy has. */
export async function placeLedger(copy: string, given: string): Promise<string | undefined> {
  const path = realLedgerPath(given);
  const hasOld = sizeOf(path) > 0;
  const replaced = `${path}.replaced-${stampOf(Date.now())}`;
  if (hasOld) {
    refuseMountedFile(path);
    // Moves the log into the file, and fails while the ledger is in use.
    inFile(path, path, (db) => db.pragma('journal_mode = delete'));
    await rename(path, replaced);
  } else {
    // SQLite would apply a leftover log to the new ledger.
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
  }
  await rename(copy, path);
  await syncFolder(dirname(path));
  return hasOld ? replaced : undefined;
}

/** Part of the names of copies. */
export function stampOf(at: number): string {
  return new Date(at).toISOString().replaceAll(/[-:.]/g, '');
}

const backupBusyMs = 2_000;

function inLedger<Result>(given: string, work: (db: Database.Database) => Result): Result {
  using file = openFile(given, { busyMs: backupBusyMs, mustExist: true });
  return withLedgerErrors(file.path, () => file.db.transaction(() => work(file.db)).immediate());
}

function inFile<Result>(file: string, name: string, work: (db: Database.Database) => Result) {
  return withLedgerErrors(name, () => {
    const db = new Database(file, { timeout: backupBusyMs, fileMustExist: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  });
}
