import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { DossierError } from '../../../errors.ts';
import { isFileLocked, isLookupSlot } from '../../file/locks.ts';

/**
 * Refuses while a run or a lookup is at work on a ledger. Called inside a transaction: a run takes its lock
 * before it looks at the ledger, so one that starts now waits for the transaction.
 */
export function refuseRunsInUse(db: Database, path: string): void {
  const [job] = jobsInUse(path);
  if (job === undefined) return;
  const newest = db
    .prepare<{ job: string }, number | null>(`select max(id) from run where job = :job`)
    .pluck()
    .get({ job });
  const run = newest ? `r${newest} of ${job}` : `a run of ${job}`;
  const what = isLookupSlot(job) ? 'a lookup' : run;
  throw new DossierError('LEDGER_IN_USE', `${what} is under way on ${path}`);
}

/** Jobs whose lock is held. */
function jobsInUse(path: string): string[] {
  const [start, end] = [`${basename(path)}.`, '.lock'];
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => name.slice(start.length, -end.length))
    .filter((job) => job !== 'care@1')
    .filter((job) => isFileLocked(join(dirname(path), `${start}${job}${end}`)));
}
