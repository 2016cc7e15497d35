import { isJobLocked, isLookupSlot } from '../../ledger/file/locks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { overtakerOf, type Run, runName } from '../../ledger/runs/runs.ts';
import type { Start } from '../../ledger/runs/starts.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import { totalSpend } from '../../rules/total-spend.ts';
import { moneyJson } from '../../runtime/budget/money.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { asideOf, howToGoOn, type NamedJob } from './go-on.ts';
import type { JobStatus, LookupStatus, RunStatus, StartStatus } from './status-json.ts';

/** An open ledger, its path for the locks, and the time of reading. */
export interface StatusSource {
  readonly ledger: Ledger;
  readonly path: string;
  readonly nowMs: number;
  /** The job whose runs are read, where one was named. */
  readonly named?: NamedJob;
}

/** The names of all jobs that have run, sorted. */
export function jobNames({ ledger }: StatusSource): string[] {
  const names = ledger.runs.list().map(({ job }) => job);
  return [...new Set(names)].filter((job) => !isLookupSlot(job)).sort();
}

/** How many of each are wanted. */
export interface WantedStatus {
  readonly runs: number;
  readonly starts: number;
}

/** The newest runs and starts of a job. */
export function readJob(source: StatusSource, job: string, wanted: WantedStatus): JobStatus {
  const { ledger, path } = source;
  const wasLocked = isJobLocked(path, job);
  const found = ledger.runs.list(job);
  const starts = ledger.starts.list(job, wanted.starts);
  // The lock is read before and after the runs: a run that starts or ends in between is running.
  const isRunning = wasLocked || isJobLocked(path, job);
  // A run that died while it read its list has no counts, and the next run removes it.
  const all = found.filter(
    ({ state }, index) => state !== 'ingesting' || (isRunning && index === 0),
  );
  return {
    job,
    running: isRunning,
    runCount: all.length,
    runs: all.slice(0, wanted.runs).map((run, index) =>
      readRun(source, run, {
        isUnderWay: isRunning && index === 0,
        isOvertaken: overtakerOf(run, all) !== undefined,
      }),
    ),
    starts: starts.map((start, index) => readStart(start, isRunning && index === 0)),
  };
}

/** A start without an end is running, or else its process was killed: it holds the job no longer. */
function readStart({ runId, ...start }: Start, mayRun: boolean): StartStatus {
  const { startedAt, endedAt, exitCode, reason, host, pid, version, startedBy } = start;
  return {
    startedAt: iso(startedAt),
    state: endedAt === null ? (mayRun ? 'running' : 'killed') : 'ended',
    endedAt: endedAt === null ? null : iso(endedAt),
    seconds: endedAt === null ? null : Math.max(0, endedAt - startedAt) / 1_000,
    ...{ startedBy, exitCode, reason },
    run: runId === null ? null : runName({ id: runId }),
    ...{ host, pid, version },
  };
}

/** The sum of all lookups. Each lookup is a run, and a ledger may hold thousands of them. */
export function readLookups({ ledger, path }: StatusSource): LookupStatus | null {
  const runs = ledger.runs.list().filter(({ job }) => isLookupSlot(job));
  const [newest] = runs;
  if (!newest) return null;
  const calls = { made: 0, reused: 0, joined: 0 };
  const doubtful: string[] = [];
  for (const run of runs) {
    const { reused, joined, ...others } = ledger.counts(run.id).calls;
    calls.made += answeredCalls(others);
    calls.reused += reused;
    calls.joined += joined;
    const isAlive = run.state === 'open' && isJobLocked(path, run.job);
    doubtful.push(...doubtfulOf(ledger, run, isAlive));
  }
  return { count: runs.length, lastAt: iso(newest.startedAt), calls, doubtful };
}

function readRun(
  { ledger, nowMs, named }: StatusSource,
  run: Run,
  { isUnderWay, isOvertaken }: { isUnderWay: boolean; isOvertaken: boolean },
): RunStatus {
  const { calls, failedSearches, ...counts } = ledger.counts(run.id);
  const { requests, money } = totalSpend(ledger.spend.ofRun(run.id));
  const state = stateOf(run, isUnderWay);
  const endedAtMs = state === 'running' ? nowMs : run.finishedAt;
  const written = state === 'interrupted' ? ledger.progress.written(run.id) : undefined;
  const { rows, stale, people } = written ?? counts;
  const { matched, not_found, invalid, failed, open } = rows;
  return {
    run: runName(run),
    state,
    held: run.held && [...run.held],
    overtaken: isOvertaken,
    acceptedAt: run.acceptedAt === null ? null : iso(run.acceptedAt),
    sampleData: run.service === sampleData,
    input: run.inputName,
    limit: run.rowLimit,
    startedAt: iso(run.startedAt),
    endedAt: run.finishedAt === null ? null : iso(run.finishedAt),
    prunedAt: run.prunedAt === null ? null : iso(run.prunedAt),
    // The clock of the machine may have been set back since the run started.
    seconds: endedAtMs === null ? null : Math.max(0, endedAtMs - run.startedAt) / 1_000,
    rows: { total: matched + not_found + invalid + failed + open, ...rows, stale },
    calls: {
      made: answeredCalls(calls),
      shared: calls.shared,
      reused: calls.reused,
      joined: calls.joined,
      open: calls.open,
    },
    requests,
    money: money.map(moneyJson),
    people,
    failedSearches,
    doubtful: doubtfulOf(ledger, run, state === 'running'),
    aside: named ? asideOf(named.job, run) : null,
    goOn: state === 'interrupted' ? howToGoOn(run, named) : null,
  };
}

function stateOf(run: Run, isUnderWay: boolean): RunStatus['state'] {
  if (run.state === 'finished' || run.state === 'superseded') return run.state;
  return isUnderWay ? 'running' : 'interrupted';
}

/** Unanswered leases of a live process are in flight; those of a dead process are doubtful. */
function doubtfulOf({ calls }: Ledger, run: Run, isAlive: boolean): string[] {
  const marked = calls.doubtful(run.id);
  return isAlive ? marked : [...marked, ...calls.unanswered(run.id)];
}

function iso(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
