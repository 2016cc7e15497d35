import { jobFingerprint } from '../../job/job-fingerprint.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openJobToRead } from '../../overview/jobs/open-job.ts';

/** Whether the unfinished run of a job only mends rows: `dossier run` would begin another one instead. */
export function isMendUnfinished(path: string): boolean {
  const job = { ...openJobToRead(path, {}), keepsOutcomes: true };
  using ledger = openLedgerToRead(job.ledger);
  const newest = ledger?.runs.newest(job.name);
  return newest?.state === 'open' && newest.jobFingerprint === jobFingerprint(job);
}
