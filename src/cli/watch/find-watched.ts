import { relative, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { isJobLocked } from '../../ledger/file/job-lock.ts';
import { isLookupSlot } from '../../ledger/file/lookup-slots.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openJob } from '../options/open-job.ts';
import { readStatus } from '../status/read-status.ts';

/** The job that was named, or the one that runs now, or the one that ran last. */
export function findWatched(given: string | undefined, ledger: string | undefined): ResolvedJob {
  // Nothing is asked here, so no service has to be named.
  const resolved = openJob(given ?? 'every-job', { ledger, url: 'embedded' });
  const job = { ...resolved, ledger: resolve(resolved.ledger) };
  if (given !== undefined) {
    // A name that nobody knows is told as `status` tells it.
    readStatus({ job: given, runs: 1, ledger });
    return job;
  }
  return { ...job, name: busiestJob(job.ledger) };
}

function busiestJob(path: string): string {
  using ledger = openLedgerToRead(path);
  const runs = ledger?.runs.list().filter(({ job }) => !isLookupSlot(job)) ?? [];
  const found = runs.find(({ job }) => isJobLocked(path, job)) ?? runs[0];
  if (found) return found.job;
  const shown = relative(process.cwd(), path);
  throw new DossierError('RUN_MISSING', `nothing has run yet: ${shown} holds no run`);
}
