import { isJobLocked, isLookupSlot } from '../../ledger/file/locks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { runName } from '../../ledger/runs/runs.ts';
import type { Start } from '../../ledger/runs/starts.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import { possiblyChargedOf, readJobFacts } from '../../run/run-facts.ts';
import { asideOf, howToGoOn, type NamedJob } from './go-on.ts';
import type { JobStatus, LookupStatus, StartStatus } from './status-json.ts';

/** How many of each are wanted. */
export interface WantedStatus {
  readonly runs: number;
  readonly starts: number;
}

/** The newest runs and starts of a job, which was named by its file where `named` is given. */
export function readJob(
  ledger: Ledger,
  path: string,
  job: string,
  wanted: WantedStatus,
  named?: NamedJob,
): JobStatus {
  const { runs, facts, starts, isRunning } = readJobFacts(ledger, path, job, wanted.runs);
  return {
    job,
    running: isRunning,
    runCount: runs.length,
    runs: facts.map((one, index) => {
      const run = runs[index];
      const isOpen = ['stopped', 'killed', 'incomplete'].includes(one.state);
      return {
        ...one,
        folder: named && run ? asideOf(named.job, run) : null,
        goOn: isOpen && run ? howToGoOn(run, named) : null,
      };
    }),
    starts: starts
      .slice(0, wanted.starts)
      .map((start, index) => readStart(start, isRunning && index === 0)),
  };
}

/** A start without an end is running, or else its process was killed: it holds the job no longer. */
function readStart(start: Start, mayRun: boolean): StartStatus {
  const { runId, startedAt, endedAt, exitCode, reason, host, pid, version, startedBy } = start;
  return {
    startedAt: iso(startedAt),
    state: endedAt === null ? (mayRun ? 'running' : 'killed') : 'ended',
    endedAt: endedAt === null ? null : iso(endedAt),
    seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt) / 1_000,
    startedBy,
    exitCode,
    reason,
    run: runId === null ? null : runName({ id: runId }),
    host,
    pid,
    version,
  };
}

/** The sum of all lookups. Each lookup is a run, and a ledger may hold thousands of them. */
export function readLookups(ledger: Ledger, path: string): LookupStatus | null {
  const runs = ledger.runs.list().filter(({ job }) => isLookupSlot(job));
  const [newest] = runs;
  if (!newest) return null;
  const calls = { made: 0, reused: 0, joined: 0 };
  const possiblyCharged: string[] = [];
  for (const run of runs) {
    const { reused, joined, ...others } = ledger.counts(run.id).calls;
    calls.made += answeredCalls(others);
    calls.reused += reused;
    calls.joined += joined;
    const isAlive = run.state === 'open' && isJobLocked(path, run.job);
    possiblyCharged.push(...possiblyChargedOf(ledger, run, isAlive));
  }
  return { count: runs.length, lastAt: iso(newest.startedAt), calls, possiblyCharged };
}

function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
