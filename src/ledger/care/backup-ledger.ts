import { chmodSync, closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { DossierError, type ErrorCode } from '../../errors.ts';
import {
  claimTemporary,
  refuseOthersThanFiles,
  removeLeftovers,
  syncFolder,
} from '../../runtime/files/atomic-file.ts';
import { freeBytesAt, makeFolder } from '../../runtime/files/disk.ts';
import { type LedgerFile, openExisting } from '../file/ledger-file.ts';
import { realLedgerPath } from '../file/real-path.ts';

interface BackupOptions {
  /** Whether an older backup at the path may be replaced. */
  readonly isForced: boolean;
  readonly signal: AbortSignal;
  onProgress(share: number): void;
}

/**
 * Copies a ledger as it is at this moment, while runs go on. The copy is one file without a log. It is
 * looked through under a temporary name before it takes its place, so that no bad copy replaces a good one.
 */
export async function backupLedger(given: string, target: string, options: BackupOptions) {
  using source = openExisting(given);
  const path = realLedgerPath(target);
  await using copy = claimTemporary(path);
  const temporary = copy.path;
  try {
    await refuseTarget(source, path, options.isForced);
    makeFolder(dirname(path));
    await removeLeftovers(dirname(path));
    // Within one transaction, SQLite copies one moment. Without it, each commit of a run starts the copy anew.
    source.db.exec('begin');
    const { answers, runs } = countsIn(source.db);
    refuseFullDisk(source.db, path, 'BACKUP_TROUBLE');
    await copyPages(source.db, temporary, options);
    source.db.exec('rollback');
    checkCopy(temporary, { answers, runs });
    chmodSync(temporary, statSync(source.path).mode & 0o777);
    syncFile(temporary);
    const bytes = statSync(temporary).size;
    options.signal.throwIfAborted();
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return { ledger: source.path, path, bytes, answers, runs };
  } catch (error) {
    throw asBackupTrouble(source.path, path, error);
  }
}

async function refuseTarget(source: LedgerFile, path: string, isForced: boolean): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return;
  await refuseOthersThanFiles(path);
  const ledger = statSync(source.path);
  if (found.ino === ledger.ino && found.dev === ledger.dev) {
    throw new DossierError('USAGE', `${path} is the ledger itself; name another file`);
  }
  if (existsSync(`${path}-wal`)) {
    throw new DossierError(
      'BACKUP_TROUBLE',
      `${path} is a ledger in use: there is a log beside it, which belongs to no backup`,
    );
  }
  if (!isForced) throw new DossierError('BACKUP_EXISTS', `${path} is there already`);
}

function checkCopy(temporary: string, expected: { answers: number; runs: number }): void {
  const copy = new Database(temporary);
  try {
    // One file, which can be read where nothing may be written. The first run on it brings the log back.
    copy.pragma('journal_mode = delete');
    const found = String(copy.pragma('integrity_check(1)', { simple: true }));
    const { answers, runs } = countsIn(copy);
    if (found === 'ok' && answers === expected.answers && runs === expected.runs) return;
    const reason = found === 'ok' ? 'answers are missing in the copy' : found;
    throw new DossierError('LEDGER_DAMAGED', `the copy is not whole: ${reason}`);
  } finally {
    copy.close();
  }
}

function countsIn(db: Database.Database) {
  const counts = db.prepare<[], { answers: number; runs: number }>(`
    select (select count(*) from answer) as answers, (select count(*) from run) as runs`);
  return counts.get() ?? { answers: 0, runs: 0 };
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What the disk of the backup refuses is told as trouble with the backup, and not with the ledger. */
function asBackupTrouble(ledger: string, path: string, error: unknown): unknown {
  if (error instanceof DossierError && error.code !== 'OUTPUT_TROUBLE') return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) {
    return new DossierError('LEDGER_DAMAGED', `${ledger} is damaged: ${message}`, { cause: error });
  }
  const isOfDisk = error instanceof DossierError || code !== '';
  if (!isOfDisk) return error;
  const reason = error instanceof DossierError ? message : `${path} cannot be written: ${message}`;
  return new DossierError('BACKUP_TROUBLE', reason, { cause: error });
}

/** 4 MB: often enough to heed a signal, and seldom enough to cost nothing. */
const pagesAtOnce = 1_000;

interface CopyOptions {
  readonly signal?: AbortSignal;
  onProgress?(share: number): void;
}

/** Copies a database to a file. Within a transaction, SQLite copies one moment, whatever is written meanwhile. */
export async function copyPages(
  db: Database.Database,
  target: string,
  { signal, onProgress }: CopyOptions,
): Promise<void> {
  await db.backup(target, {
    progress({ totalPages, remainingPages }) {
      signal?.throwIfAborted();
      onProgress?.(1 - remainingPages / Math.max(1, totalPages));
      return pagesAtOnce;
    },
  });
}

/** Refuses a copy for which the disk of its path has no room. */
export function refuseFullDisk(db: Database.Database, path: string, code: ErrorCode): void {
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  const needed = pragma('page_count') * pragma('page_size');
  const free = freeBytesAt(dirname(path));
  if (free === undefined || free >= needed) return;
  const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / 1_000_000));
  throw new DossierError(code, `${path} needs ${needs} MB, and its disk has ${has} MB left`);
}
