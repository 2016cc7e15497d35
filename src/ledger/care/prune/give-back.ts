import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../../errors.ts';
import { freeBytesAt } from '../../../runtime/files/free-bytes.ts';

/** Bytes of the pages of a ledger that hold something, and of those that are free. */
export function pageBytes(db: Database): { readonly used: number; readonly free: number } {
  const pragma = (name: string) => Number(db.pragma(name, { simple: true }));
  const free = pragma('freelist_count') * pragma('page_size');
  return { used: pragma('page_count') * pragma('page_size') - free, free };
}

/**
 * Writes the ledger anew without its free pages, and cuts the file to what it holds. SQLite does it in one
 * transaction: after a kill the ledger is as before, or as afterwards.
 */
export function giveBack(db: Database, path: string): void {
  requireRoom(path, pageBytes(db).used);
  db.exec('vacuum');
  // Until the log is in the file, the file is as long as before. A reader may delay that to the next close.
  db.pragma('wal_checkpoint(truncate)');
}

/** SQLite writes a copy to the folder for temporary files, and then all of it to the log of the ledger. */
function requireRoom(path: string, bytes: number): void {
  const [beside, temporary] = [dirname(path), writableFolder()];
  const isOneDisk = statSync(beside).dev === statSync(temporary).dev;
  for (const [folder, needed] of isOneDisk
    ? ([[beside, 2 * bytes]] as const)
    : ([
        [beside, bytes],
        [temporary, bytes],
      ] as const)) {
    const free = freeBytesAt(folder);
    if (free === undefined || free >= needed) continue;
    const [needs, has] = [needed, free].map((some) => Math.ceil(some / 1_000_000));
    throw new DossierError(
      'LEDGER_NO_ROOM',
      `${path} was pruned, but its file keeps its size: to write it anew takes ${needs} MB on the disk of ${folder}, which has ${has} MB left`,
    );
  }
}

/** Where SQLite puts temporary files: the first of these folders that may be written. */
function writableFolder(): string {
  const { env } = process;
  const offered = [env.SQLITE_TMPDIR, env.TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return offered.find((folder) => folder !== undefined && isWritable(folder)) ?? '.';
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
