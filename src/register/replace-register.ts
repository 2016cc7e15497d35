import { copyFileSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { DossierError } from '../core/errors.ts';
import { claimTemporary, removeLeftovers, syncFolder } from '../platform/files/atomic-file.ts';
import { makeFolder } from '../platform/files/disk.ts';
import { createRegisterFile, registerError } from './register-file.ts';

/**
 * Writes a new register beside the old one and renames it. So a kill leaves the old one, and
 * whoever reads the old one goes on reading it.
 */
export async function replaceRegister<Result>(
  path: string,
  { isCopy = false },
  write: (db: Database.Database) => Promise<Result>,
): Promise<Result> {
  makeFolder(dirname(path));
  await removeLeftovers(dirname(path));
  const stamp = stampOf(path);
  await using temporary = claimTemporary(path);
  if (isCopy) copyFileSync(path, temporary.path);
  const db = createRegisterFile(temporary.path, isCopy);
  try {
    const result = await write(db);
    db.close();
    if (stampOf(path) !== stamp) {
      throw new DossierError('REGISTER_BUSY', `another load replaced ${path} in the meantime`);
    }
    await using file = await open(temporary.path, 'r+');
    await file.sync();
    await rename(temporary.path, path);
    await syncFolder(dirname(path));
    return result;
  } catch (error) {
    throw registerError(path, error);
  } finally {
    db.close();
  }
}

function stampOf(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
}
