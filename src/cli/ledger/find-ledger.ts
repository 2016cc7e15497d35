import { openJob } from '../../overview/jobs/open-job.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import type { LedgerArguments } from './ledger-options.ts';

/** The path of the ledger that a command line names, which may not exist yet. */
export function findLedger({ job, ledger }: Pick<LedgerArguments, 'job' | 'ledger'>): string {
  // The ledger is looked at and no service is called, so a job without an address is fine here.
  return openJob(job ?? 'every-job', { ledger, url: sampleData }).ledger;
}
