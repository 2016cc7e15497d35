import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openRanJob } from './open-job.ts';
import type { FolderScan } from './scan-folder.ts';

/** Opens at most this many ledgers, so that the welcome text appears at once in a full folder. */
const maxPathsTried = 50;

/** The path of the folder's job or list that ran last. Lookups do not count. */
export function findLastRun({
  jobs,
  lists,
}: Pick<FolderScan, 'jobs' | 'lists'>): string | undefined {
  const [last] = [...jobs, ...lists]
    .slice(0, maxPathsTried)
    .map((path) => ({ path, startedAt: lastStart(path) ?? 0 }))
    .filter(({ startedAt }) => startedAt > 0)
    .sort((one, other) => other.startedAt - one.startedAt);
  return last?.path;
}

/** Undefined also when the job or its ledger cannot be read; `check` and `status` say why. */
function lastStart(path: string): number | undefined {
  try {
    const job = openRanJob(path, {});
    using ledger = openLedgerToRead(job.ledger);
    return ledger?.runs.newest(job.name)?.startedAt;
  } catch (error) {
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}
