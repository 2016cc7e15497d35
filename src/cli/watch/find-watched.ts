import { relative, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isJobLocked, isLookupSlot } from '../../ledger/file/locks.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openJob, openRanJob } from '../../overview/jobs/open-job.ts';
import { readStatus } from '../../overview/status/read-status.ts';
import { sampleData } from '../../runtime/sample-data.ts';

/** The named job, else the job that is running, else the job that ran last. */
export function findWatched(given: string | undefined, ledger: string | undefined): ResolvedJob {
  if (given !== undefined) {
    // `status` throws for an unknown name.
    readStatus({ job: given, runs: 1, starts: 1, ledger });
    return openRanJob(given, { ledger });
  }
  // Watching calls no service, so a job without an address is fine here.
  const job = openJob('every-job', { ledger, url: sampleData });
  const name = runningOrLastJob(job.ledger);
  // Where the files of a job are is known only by its job file; this is where they are by default.
  return { ...job, name, output: { ...job.output, path: resolve('output', name) } };
}

function runningOrLastJob(path: string): string {
  using ledger = openLedgerToRead(path);
  const runs = ledger?.runs.list().filter(({ job }) => !isLookupSlot(job)) ?? [];
  const found = runs.find(({ job }) => isJobLocked(path, job)) ?? runs[0];
  if (found) return found.job;
  const shown = relative(process.cwd(), path);
  throw new DossierError('RUN_MISSING', `nothing has run yet: ${shown} holds no run`);
}
