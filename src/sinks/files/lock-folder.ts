import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DossierError } from '../../errors.ts';
import { type FileLock, tryLockFile } from '../../ledger/file/file-lock.ts';

/** Longer than most exports take. */
const patienceMs = 60_000;
const pauseMs = 100;

/**
 * Makes sure that one process at a time writes to a folder: the files of one export between those of
 * another would fit no manifest. Waits a while for the other to end.
 */
export async function lockFolder(
  folder: string,
  { waitMs = patienceMs, signal }: { waitMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<Disposable> {
  const startedAt = performance.now();
  for (;;) {
    const lock = tryLock(join(folder, '.dossier.lock'));
    if (lock) return lock;
    if (performance.now() - startedAt >= waitMs) {
      throw new DossierError('OUTPUT_BUSY', `another process is writing to ${folder}`);
    }
    signal?.throwIfAborted();
    await delay(pauseMs);
  }
}

/** Where no file can be made, writing the outputs says why; a disk without locks is used without. */
function tryLock(path: string): FileLock | Disposable | undefined {
  try {
    return tryLockFile(path);
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}
