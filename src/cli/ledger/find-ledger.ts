import { DossierError } from '../../errors.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { openToLook } from '../snapshot.ts';
import type { LedgerArguments } from './ledger-options.ts';

/** The ledger that a command line names, to be read: a temporary copy where it lies in a store alone. */
export async function findLedger(args: Pick<LedgerArguments, 'job' | 'ledger'>) {
  return await openToLook(findLedgerJob(args));
}

/** The job whose ledger a command line names; one with all the defaults where it names only a ledger. */
export function findLedgerJob({
  job,
  ledger,
}: Pick<LedgerArguments, 'job' | 'ledger'>): ResolvedJob {
  // A list has no ledger of its own, and whoever names a ledger here means that one.
  if (job !== undefined && !isJobPath(job)) {
    const message = `${job} is no job file (.yaml); --ledger names a ledger`;
    throw new DossierError('USAGE', message);
  }
  // The ledger is looked at and no service is called, so a job without an address is fine here.
  return openJob(job ?? 'every-job', { ledger, url: sampleData });
}
