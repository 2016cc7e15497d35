import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { refuseMissing } from '../../ledger/file/ledger-file.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { jobNames } from '../../run/run-facts.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { openJob, openRanJob } from '../jobs/open-job.ts';
import type { NamedJob } from './go-on.ts';
import { readJob, readLookups } from './status-facts.ts';
import type { StatusJson } from './status-json.ts';

interface StatusRequest {
  readonly job: string | undefined;
  /** The same as a shell takes it. */
  readonly word?: string | undefined;
  readonly runs: number;
  readonly starts: number;
  readonly ledger: string | undefined;
}

/**
 * Reads the state of runs. That nothing has run yet is a result with a note, not an error. `copy` is read in the
 * place of a ledger that is not on this machine.
 */
export function readStatus(
  request: StatusRequest,
  found: ReturnType<typeof findStatusLedger> = findStatusLedger(request),
  copy = found.path,
): {
  /** Without its snapshots, which are elsewhere: whoever may ask the store adds them. */
  status: StatusJson & { snapshot: null };
  note?: string | undefined;
  /** The job that was asked for. */
  named?: ResolvedJob | undefined;
} {
  const { status, note } = readFrom(found, copy, request);
  return { status: { ...status, snapshot: null }, note, named: found.named?.job };
}

function readFrom(
  { name, path, named }: ReturnType<typeof findStatusLedger>,
  copy: string,
  request: StatusRequest,
): { status: Omit<StatusJson, 'snapshot'>; note?: string | undefined } {
  const shown = relative(process.cwd(), path);
  const { mustExist, snapshot } = named?.job.ledgerCare ?? {};
  // A ledger that has a snapshot may be on no disk between two runs.
  if (mustExist && !snapshot) refuseMissing(path);
  using ledger = openLedgerToRead(copy);
  if (!ledger) {
    refuseUnknown(request.job, name, [], shown);
    const status = { ledger: path, jobs: [], lookups: null };
    const note = snapshot
      ? `There is no ${shown} on this machine.`
      : `Nothing has run yet: there is no ${shown}.`;
    return { status, note };
  }
  const newest = { runs: 1, starts: 1 };
  // One transaction, so that the counts of rows and calls belong together.
  return ledger.together(() => {
    const names = jobNames(ledger);
    if (name === undefined) {
      const jobs = names
        .map((job) => readJob(ledger, path, job, newest))
        .filter(({ runCount }) => runCount > 0);
      const lookups = readLookups(ledger, path);
      const note = jobs.length === 0 ? `${shown} holds no run of a job yet.` : undefined;
      return { status: { ledger: path, jobs, lookups }, note };
    }
    const job = readJob(ledger, path, name, request, named);
    if (job.runCount > 0 || job.starts.length > 0)
      return { status: { ledger: path, jobs: [job], lookups: null } };
    const haveRun = names.filter((other) => readJob(ledger, path, other, newest).runCount > 0);
    refuseUnknown(request.job, name, haveRun, shown);
    const status = { ledger: path, jobs: [], lookups: null };
    return { status, note: `${request.job} has not run yet: ${shown} holds no run of it.` };
  });
}

/** The ledger that a job file names; for the name of a job, or none, the default ledger. */
export function findStatusLedger({ job: given, word, ledger }: StatusRequest): {
  name: string | undefined;
  path: string;
  named?: NamedJob;
} {
  if (given !== undefined) {
    const job = openRanJob(given, { ledger });
    return { name: job.name, path: job.ledger, named: { given: word ?? given, job } };
  }
  // A status calls no service, so a job without an address is fine here.
  return { name: undefined, path: openJob('every-job', { ledger, url: sampleData }).ledger };
}

/** Throws for an unknown name, which is likely a typo. A file that has not run yet is no mistake. */
function refuseUnknown(
  given: string | undefined,
  name: string | undefined,
  known: readonly string[],
  ledger: string,
): void {
  if (given === undefined || name === undefined || existsSync(given)) return;
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new DossierError('RUN_MISSING', `${ledger} holds no run of a job ${name}${hint}`);
}
