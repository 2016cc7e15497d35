import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../errors.ts';

/**
 * Refuses a ledger that ends within a page: a copy that was cut off, or a disk that was full. SQLite
 * takes such a page for whole, with nothing where its end was. The size of a page is asked of SQLite:
 * to open and close its file here would take away the locks that this process has on it.
 */
export function refuseCutShort(db: Database, path: string): void {
  const pageSize = Number(db.pragma('page_size', { simple: true }));
  const endsWithPage = () => sizeOf(path) % pageSize === 0;
  // While there is a log beside the file it may end so for a moment, and the log holds what is
  // missing. The size is read twice, since another process may just have checkpointed its log.
  if (endsWithPage() || sizeOf(`${path}-wal`) > 0 || endsWithPage()) return;
  throw new DossierError('LEDGER_DAMAGED', `${path} cannot be used: its end is cut off`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
