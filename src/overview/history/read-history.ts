import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openJob, openRanJob } from '../jobs/open-job.ts';
import { scanFolder } from '../jobs/scan-folder.ts';
import { jobNames, readJob } from '../status/status-facts.ts';
import type { JobStatus } from '../status/status-json.ts';

/** A job of a folder, and what its ledger says of it. */
export interface JobHistory {
  /** From the folder; undefined for a job whose file is no longer there. */
  readonly path: string | undefined;
  readonly name: string;
  readonly status: JobStatus | undefined;
  /** Why it cannot be read. */
  readonly trouble?: DossierError;
}

/** As many as a page shows of a job; the ledger keeps thirty by default. */
const mostRuns = 200;

/** The history of every job and list of a folder that has run, and of the jobs of its default ledger. */
export function readHistory(folder: string): JobHistory[] {
  const { jobs, lists } = scanFolder(folder);
  const known = [...jobs, ...lists].flatMap((path) => readPath(path));
  const seen = new Set(known.map(({ name }) => name));
  const { ledger } = openJob('every-job', { url: 'embedded' });
  const others = namesIn(ledger).filter((name) => !seen.has(name));
  const gone = others.map((name) => ({ path: undefined, name, status: statusOf(ledger, name) }));
  return [...known, ...gone].sort((one, other) => lastStart(other) - lastStart(one));
}

function readPath(path: string): JobHistory[] {
  try {
    const job: ResolvedJob = openRanJob(path, {});
    const status = statusOf(job.ledger, job.name);
    return status && status.runs.length > 0 ? [{ path, name: job.name, status }] : [];
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return [{ path, name: path, status: undefined, trouble: error }];
  }
}

function namesIn(path: string): string[] {
  using ledger = openLedgerToRead(path);
  return ledger ? jobNames({ ledger, path, nowMs: Date.now() }) : [];
}

function statusOf(path: string, name: string): JobStatus | undefined {
  using ledger = openLedgerToRead(path);
  if (!ledger) return undefined;
  const source = { ledger, path, nowMs: Date.now() };
  // One transaction, so that the counts of rows and calls belong together.
  return ledger.together(() => readJob(source, name, { runs: mostRuns, starts: mostRuns }));
}

function lastStart({ status }: JobHistory): number {
  return Date.parse(status?.runs[0]?.startedAt ?? '') || 0;
}
