import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** SQLite reads a log only with an index of it beside the ledger, which it makes where there is none. */
const withoutIndex = ['CANTOPEN', 'READONLY_CANTINIT', 'READONLY_CANTLOCK', 'READONLY_RECOVERY'];

/** Whether a ledger cannot be read because nothing may be written beside it. */
export function needsCopyToRead(path: string, error: unknown): boolean {
  const code = (error as { code?: string }).code?.replace('SQLITE_', '') ?? '';
  return withoutIndex.includes(code) && !isWritable(dirname(path));
}

/**
 * Copies a ledger that no process can write to here, with what is in its log, to the temporary folder.
 * While a run elsewhere has it open there is no need of that: the index of the log is there, too.
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

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
