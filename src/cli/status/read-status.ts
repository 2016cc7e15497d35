import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { openJob } from '../options/open-job.ts';
import { jobNames, type Look, readJob, readLookups } from './status-facts.ts';
import type { StatusJson } from './status-json.ts';

interface StatusRequest {
  readonly job: string | undefined;
  readonly runs: number;
  readonly ledger: string | undefined;
}

/** Reads where runs stand. That nothing has run yet is an answer like any other, with a note. */
export function readStatus(request: StatusRequest): {
  status: StatusJson;
  note?: string | undefined;
} {
  const { name, path } = whereToLook(request);
  const shown = relative(process.cwd(), path);
  using ledger = openLedgerToRead(path);
  if (!ledger) {
    refuseUnknown(request.job, name, [], shown);
    const status = { ledger: path, jobs: [], lookups: null };
    return { status, note: `Nothing has run yet: there is no ${shown}.` };
  }
  const look: Look = { ledger, path, nowMs: Date.now() };
  // In one transaction, so that rows and calls are of the same moment.
  return ledger.together(() => {
    const names = jobNames(look);
    if (name === undefined) {
      const jobs = names.map((job) => readJob(look, job, 1)).filter(({ runCount }) => runCount > 0);
      const lookups = readLookups(look);
      const note = jobs.length === 0 ? `${shown} holds no run of a job yet.` : undefined;
      return { status: { ledger: path, jobs, lookups }, note };
    }
    const job = readJob(look, name, request.runs);
    if (job.runCount > 0) return { status: { ledger: path, jobs: [job], lookups: null } };
    refuseUnknown(request.job, name, names, shown);
    const status = { ledger: path, jobs: [], lookups: null };
    return { status, note: `${name} has not run yet: ${shown} holds no run of it.` };
  });
}

/** A job file names its ledger; a name or nothing means the usual one. */
function whereToLook({ job, ledger }: StatusRequest): { name: string | undefined; path: string } {
  // Nothing is asked here, so no service has to be named.
  const resolved = openJob(job ?? 'every-job', { ledger, url: 'embedded' });
  return { name: job === undefined ? undefined : resolved.name, path: resolve(resolved.ledger) };
}

/** A file that has not run yet is no mistake; a name that nobody knows most likely is. */
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
