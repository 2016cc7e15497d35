import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isJobLocked } from '../../ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { noCounts } from '../../ledger/runs/progress.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { compareRuns, findBase } from '../../records/changes/compare-runs.ts';
import type { ReportData } from '../../report/data/report-data.ts';
import { lookAtRun } from '../../report/look-at-run.ts';
import { summariseRun } from '../../report/summarise-run.ts';
import type { Counts } from '../../rules/outcomes.ts';
import { manifestFacts } from '../../run/places/manifest-facts.ts';
import { howToCompare } from '../../run/write-outputs.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import { openRunTally } from '../../sinks/tally/run-tally.ts';
import { writeRecords } from '../../sinks/write-records.ts';
import { findFiles } from './find-files.ts';
import { newestRun } from './newest-run.ts';

export interface Follower extends Disposable {
  /**
   * Reads the newest run of the job: its progress while it is running, and once, when it has ended,
   * its whole report. Undefined when nothing has changed.
   */
  next(): Promise<ReportData | undefined>;
  /** Reads only the progress of the newest run, even when it has ended; quick for runs of any size. */
  progress(): ReportData | undefined;
}

export type Followed = Pick<ResolvedJob, 'name' | 'ledger' | 'reference' | 'output' | 'changes'>;

/** Follows a job by reading its ledger, so that any process may run the job. */
export function followJob(job: Followed): Follower {
  const closing = new AbortController();
  let ledger: Ledger | undefined;
  let reported = '';

  const find = () => {
    ledger ??= openLedgerToRead(job.ledger);
    if (!ledger) return undefined;
    const isRunning = isJobLocked(job.ledger, job.name);
    const run = newestRun(ledger, job.name, isRunning);
    const hasChanged = run && (isRunning || keyOf(run) !== reported);
    return hasChanged ? { ledger, run, isRunning } : undefined;
  };
  return {
    async next() {
      const found = find();
      if (!found || found.isRunning) return found && progressOf(found);
      const report = await wholeReport(found, job, closing.signal);
      reported = keyOf(found.run);
      return report;
    },
    progress() {
      const found = find();
      return found && progressOf(found);
    },
    [Symbol.dispose]() {
      closing.abort();
      ledger?.[Symbol.dispose]();
    },
  };
}

interface Found {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly isRunning: boolean;
}

function keyOf({ id, state, finishedAt, held }: Run): string {
  return `${id} ${state} ${finishedAt} ${held === null}`;
}

export function progressOf({ ledger, run, isRunning }: Found): ReportData {
  return ledger.together(() =>
    lookAtRun({
      ...{ ledger, run, isRunning, name: runName(run) },
      counts: countsSoFar(ledger, run),
      version: packageVersion(),
      seenAt: Date.now(),
    }),
  );
}

function countsSoFar(ledger: Ledger, run: Run): Counts {
  if (run.state === 'ingesting') return noCounts;
  return ledger.counts(run.id);
}

async function wholeReport(
  { ledger, run }: Found,
  job: Followed,
  signal: AbortSignal,
): Promise<ReportData> {
  const { reference: names, output } = job;
  const base = run.finishedAt === null ? undefined : findBase(ledger, run);
  const source = {
    records: ledger.records.of(run, () => {}),
    changes: base && compareRuns(ledger, { base, run }, howToCompare(job)),
  };
  const tally = openRunTally();
  const counts = await writeRecords(source, [{ write: tally.add }], names, signal);
  const facts = manifestFacts(ledger, run, {
    ...{ version: packageVersion(), form: '', endedAt: run.finishedAt, base },
  });
  const { files, folder } = await findFiles(run, output.path);
  const written = { counts, files, tally: tally.facts() };
  const report = summariseRun({ ledger, run, facts, ...written, names, seenAt: Date.now() });
  return { ...report, ...(folder !== undefined && { folder }) };
}
