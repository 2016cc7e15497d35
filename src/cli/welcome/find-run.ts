import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openJob } from '../options/open-job.ts';
import type { Work } from './find-work.ts';

/** A greeting must not take long, however full the folder is. */
const mostLooks = 50;

/** The job or list of this folder that ran last, as it would be typed. Lookups are no runs. */
export function findLastRun({ jobs, lists }: Pick<Work, 'jobs' | 'lists'>): string | undefined {
  const [last] = [...jobs, ...lists]
    .slice(0, mostLooks)
    .map((path) => ({ path, startedAt: lastStart(path) ?? 0 }))
    .filter(({ startedAt }) => startedAt > 0)
    .sort((one, other) => other.startedAt - one.startedAt);
  return last?.path;
}

/** Undefined also where job or ledger cannot be read: `check` and `status` say why. */
function lastStart(path: string): number | undefined {
  try {
    // Nothing is asked here, so no service has to be named.
    const job = openJob(path, { url: 'embedded' });
    using ledger = openLedgerToRead(job.ledger);
    return ledger?.runs.newest(job.name)?.startedAt;
  } catch (error) {
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}
