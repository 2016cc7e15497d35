import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { tryLockFile } from '../../ledger/file/file-lock.ts';
import { outputTrouble } from '../../runtime/files/atomic-file.ts';

/** Younger ones may be about to be locked. */
const leastAgeMs = 60_000;
const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const lockName = 'staging.lock';

/** A folder beside the ledger for files that are on their way elsewhere: `ledger.db-upload-<id>/files`. */
export async function openStagingFolder(
  ledger: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  await sweep(ledger);
  const folder = `${ledger}-upload-${randomUUID()}`;
  const path = join(folder, 'files');
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw outputTrouble(folder, error);
  }
  // It dies with the process, and tells the next one that the folder is a leftover.
  const lock = tryLockFile(join(folder, lockName));
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      lock?.[Symbol.dispose]();
    },
  };
}

/** Removes what processes have left that were killed. What cannot be removed takes room, and does no harm. */
async function sweep(ledger: string): Promise<void> {
  const own = `${basename(ledger)}-upload-`;
  for (const name of await readdir(dirname(ledger)).catch(() => [])) {
    if (!name.startsWith(own) || !isId.test(name.slice(own.length))) continue;
    const folder = join(dirname(ledger), name);
    try {
      if (Date.now() - (await stat(folder)).mtimeMs < leastAgeMs) continue;
      using lock = tryLockFile(join(folder, lockName));
      if (lock) await rm(folder, { recursive: true, force: true });
    } catch {}
  }
}
