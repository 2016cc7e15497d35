import { chmodSync, closeSync, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { DossierError } from '../../errors.ts';
import {
  claimTemporary,
  refuseOthersThanFiles,
  removeLeftovers,
  syncFolder,
} from '../../runtime/files/atomic-file.ts';
import { freeBytesAt, makeFolder } from '../../runtime/files/disk.ts';
import { type LedgerFile, openExisting, pageBytes, refuseDamaged } from '../file/ledger-file.ts';
import { isAt } from '../file/locks.ts';
import { realLedgerPath } from '../file/real-path.ts';

/**
 * Copies a ledger as it is at this moment, while runs go on. The copy is one file without a log. It is
 * looked through under a temporary name before it takes its place, so that no bad copy replaces a good one.
 */
export async function backupLedger(
  given: string,
  target: string,
  options: {
    /** Whether an older backup at the path may be replaced. */
    readonly isForced: boolean;
    readonly signal: AbortSignal;
    onProgress(share: number): void;
  },
) {
  using source = openExisting(given);
  const path = realLedgerPath(target);
  await using copy = claimTemporary(path);
  const temporary = copy.path;
  try {
    await refuseTarget(source, path, options.isForced);
    makeFolder(dirname(path));
    await removeLeftovers(dirname(path));
    const { answers, runs } = await copyMoment(source, temporary, 'integrity_check', options);
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
  if (isAt(source.path, found)) {
    throw new DossierError('USAGE', `${path} is the ledger itself; name another file`);
  }
  if (existsSync(`${path}-wal`)) {
    throw new DossierError(
      'FILE_UNWRITABLE',
      `${path} is a ledger in use: there is a log beside it, which belongs to no backup`,
    );
  }
  if (!isForced) throw new DossierError('FILE_EXISTS', `${path} is there already`);
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
  const isKnown = error instanceof DossierError;
  if (isKnown && !/^(?:OUTPUT|LEDGER)_TROUBLE$/.test(error.code)) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(code)) {
    return new DossierError('LEDGER_DAMAGED', `${ledger} is damaged: ${message}`, { cause: error });
  }
  if (!isKnown && code === '') return error;
  const reason = isKnown ? message : `${path} cannot be written: ${message}`;
  return new DossierError('FILE_UNWRITABLE', reason, { cause: error });
}

/** 4 MB: often enough to heed a signal, and seldom enough to cost nothing. */
const pagesAtOnce = 1_000;

/**
 * Copies a ledger as it is at this moment to one file without a log, whatever is written meanwhile. The copy is
 * checked.
 */
export async function copyMoment(
  { db, path }: LedgerFile,
  target: string,
  check: Parameters<typeof refuseDamaged>[2],
  { signal, onProgress }: { signal?: AbortSignal; onProgress?(share: number): void } = {},
) {
  // Within one transaction, SQLite copies one moment. Without it, each commit of a run starts the copy anew.
  db.exec('begin');
  // The transaction shows the moment of its first read.
  const counts = countsIn(db);
  refuseFullDisk(pageBytes(db).all, path, dirname(target));
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
    // One file, which can be read where nothing may be written. The first run on it brings the log back.
    copy.pragma('journal_mode = delete');
    refuseDamaged(copy, path, check);
    if (isDeepStrictEqual(countsIn(copy), counts)) return counts;
    throw new DossierError('LEDGER_DAMAGED', `answers of ${path} are missing in the copy`);
  } finally {
    copy.close();
  }
}

function countsIn(db: Database.Database) {
  const counts = db.prepare<[], { answers: number; runs: number; lastAnswerId: number }>(`
    select count(*) as answers, (select count(*) from run) as runs,
      coalesce(max(id), 0) as lastAnswerId from answer`);
  return counts.get() ?? { answers: 0, runs: 0, lastAnswerId: 0 };
}

/** Refuses a copy for which the disk of its folder has no room. */
function refuseFullDisk(needed: number, path: string, folder: string): void {
  const free = freeBytesAt(folder);
  if (free === undefined || free >= needed) return;
  const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / 1_000_000));
  const message = `a copy of ${path} needs ${needs} MB, and ${folder} has ${has} MB left`;
  throw new DossierError('LEDGER_TROUBLE', message);
}
