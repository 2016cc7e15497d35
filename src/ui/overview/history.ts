import { DossierError } from '../../core/errors.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import type { RunFacts } from '../../results/manifest.ts';
import { openPastJob } from '../../run/open-job.ts';
import { jobNames, readJobFacts } from '../../run/run-facts.ts';
import { scanFolder } from './folder.ts';

interface JobHistory {
  /** Null if the job file is gone. */
  readonly path: string | null;
  readonly name: string;
  readonly runs: readonly RunFacts[];
  readonly problem?: DossierError;
}

const mostRuns = 200;

export function readHistory(folder: string): JobHistory[] {
  const { jobs, lists } = scanFolder(folder);
  const known = new Map<string, JobHistory>();
  for (const job of [...jobs, ...lists].flatMap(readPath)) {
    // A list and its job file may have the same name; the job file comes first.
    if (!known.has(job.name)) known.set(job.name, job);
  }
  const { ledger: path } = openPastJob(undefined, {});
  using ledger = openLedgerToRead(path);
  const others = ledger ? jobNames(ledger).filter((name) => !known.has(name)) : [];
  const gone = others.map((name) => ({ path: null, name, runs: runsOf(path, name) }));
  return [...known.values(), ...gone].sort((one, other) => lastStart(other) - lastStart(one));
}

function readPath(path: string): JobHistory[] {
  try {
    const { ledger, name } = openPastJob(path, {});
    const runs = runsOf(ledger, name);
    return runs.length > 0 ? [{ path, name, runs }] : [];
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return [{ path, name: path, runs: [], problem: error }];
  }
}

function runsOf(path: string, name: string): RunFacts[] {
  using ledger = openLedgerToRead(path);
  return ledger?.inTransaction(() => readJobFacts(ledger, path, name, mostRuns).facts) ?? [];
}

function lastStart({ runs: [newest] }: JobHistory): number {
  return Date.parse(newest?.startedAt ?? '') || 0;
}
