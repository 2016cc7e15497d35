import type { ResolvedJob } from '../../job/resolve-job.ts';
import { isJobLocked } from '../../ledger/file/job-lock.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { countsOf } from '../../ledger/runs/counts.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { lookAtRun } from '../../report/look-at-run.ts';
import type { ReportData } from '../../report/report-data.ts';
import { summariseRun } from '../../report/summarise-run.ts';
import type { Counts } from '../../rules/outcomes.ts';
import { runName } from '../../run/run-name.ts';
import { manifestFacts } from '../../run/write-outputs.ts';
import { packageVersion } from '../../runtime/package-path.ts';
import { openRunTally, type RunTally, tallyName } from '../../sinks/tally/run-tally.ts';
import { writeRecords } from '../../sinks/write-records.ts';

export interface Follower extends Disposable {
  /**
   * Looks at the newest run of the job: in passing while it is under way, and for its whole report,
   * once, when it has ended. Undefined where nothing is new.
   */
  look(): Promise<ReportData | undefined>;
  /** The same in passing, whether it has ended or not. */
  glance(): ReportData | undefined;
}

type Followed = Pick<ResolvedJob, 'name' | 'ledger' | 'reference'>;

/** Looks at a job from aside, whichever process runs it. */
export function followJob(job: Followed): Follower {
  const closing = new AbortController();
  let ledger: Ledger | undefined;
  let reported = '';

  const find = () => {
    ledger ??= openLedgerToRead(job.ledger);
    if (!ledger) return undefined;
    const isRunning = isJobLocked(job.ledger, job.name);
    const run = newestRun(ledger, job.name, isRunning);
    const isNews = run && (isRunning || keyOf(run) !== reported);
    return isNews ? { ledger, run, isRunning } : undefined;
  };
  return {
    async look() {
      const found = find();
      if (!found || found.isRunning) return found && glanceAt(found);
      const report = await wholeReport(found, job.reference, closing.signal);
      reported = keyOf(found.run);
      return report;
    },
    glance() {
      const found = find();
      return found && glanceAt(found);
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

function keyOf({ id, state, finishedAt }: Run): string {
  return `${id} ${state} ${finishedAt}`;
}

/** One that died while it read its list has nothing to show. */
function newestRun(ledger: Ledger, job: string, isRunning: boolean): Run | undefined {
  return ledger.runs.list(job).find(({ state }) => state !== 'ingesting' || isRunning);
}

function glanceAt({ ledger, run, isRunning }: Found): ReportData {
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
  if (run.state === 'ingesting') return nothingYet;
  return countsOf(ledger, run.id);
}

const nothingYet = {
  rows: { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 },
  calls: { open: 0, called: 0, reused: 0, joined: 0, failed: 0 },
  people: 0,
  failedSearches: 0,
};

async function wholeReport(
  { ledger, run }: Found,
  names: ResolvedJob['reference'],
  signal: AbortSignal,
): Promise<ReportData> {
  const source = { records: ledger.records.of(run, () => {}), rowCount: ledger.rows.last(run.id) };
  const plan = { headers: run.columns, files: [], excelSafe: false, isTallied: true };
  const tally = openRunTally();
  const sink = { name: tallyName, write: async (later: RunTally) => tally.merge(later) };
  const counts = await writeRecords(source, [sink], plan, signal);
  const facts = manifestFacts(ledger, run, { version: packageVersion(), endedAt: run.finishedAt });
  const written = { counts, files: [], tally: tally.facts() };
  return summariseRun({ ledger, run, facts, ...written, names, seenAt: Date.now() });
}
