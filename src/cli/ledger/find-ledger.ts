import { DossierError } from '../../errors.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { LedgerArguments } from './ledger-options.ts';

/** The path of the ledger that a command line names, which may not exist yet. */
export function findLedger({ job, ledger }: Pick<LedgerArguments, 'job' | 'ledger'>): string {
  // A list has no ledger of its own, and whoever names a ledger here means that one.
  if (job !== undefined && !isJobPath(job)) {
    const message = `${job} is no job file (.yaml); --ledger names a ledger`;
    throw new DossierError('USAGE', message);
  }
  // The ledger is looked at and no service is called, so a job without an address is fine here.
  return openJob(job ?? 'every-job', { ledger, url: sampleData }).ledger;
}
