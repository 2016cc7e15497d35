import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError, type ErrorCode } from '../../errors.ts';
import { freeBytesAt } from '../../runtime/files/disk.ts';

/** 4 MB: often enough to heed a signal, and seldom enough to cost nothing. */
const pagesAtOnce = 1_000;

export interface CopyOptions {
  readonly signal?: AbortSignal;
  onProgress?(share: number): void;
}

/** Copies a database to a file. Within a transaction, SQLite copies one moment, whatever is written meanwhile. */
export async function copyPages(
  db: Database,
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
export function refuseFullDisk(db: Database, path: string, code: ErrorCode): void {
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  const needed = pragma('page_count') * pragma('page_size');
  const free = freeBytesAt(dirname(path));
  if (free === undefined || free >= needed) return;
  const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / 1_000_000));
  throw new DossierError(code, `${path} needs ${needs} MB, and its disk has ${has} MB left`);
}
