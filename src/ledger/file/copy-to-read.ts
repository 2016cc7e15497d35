import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** SQLite reads a log only with an index of it beside the ledger, which it makes where there is none. */
const withoutIndex = ['CANTOPEN', 'READONLY_CANTINIT', 'READONLY_CANTLOCK', 'READONLY_RECOVERY'];

/** Whether a ledger cannot be read because nothing may be written beside it. */
export function needsCopyToRead(path: string, error: unknown): boolean {
  const code = (error as { code?: string }).code?.replace('SQLITE_', '') ?? '';
  return withoutIndex.includes(code) && !mayWriteBeside(path);
}

/** Whether files may be made beside a ledger, which every writer of it has to. */
export function mayWriteBeside(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch (error) {
    // A folder that is not there yet can be made.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/**
 * Copies a ledger that no process can write to here, with what is in its log, to the temporary folder.
 * While a run elsewhere has the ledger open, no copy is needed: the index of the log is there.
 */
export function copyToRead(path: string): { readonly path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-'));
  const copy = join(folder, basename(path));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(`${path}${end}`)) copyFileSync(`${path}${end}`, `${copy}${end}`);
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { path: copy, [Symbol.dispose]: remove };
}
