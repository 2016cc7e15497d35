import { hostname } from 'node:os';
import { DossierError, type ErrorCode, errorCatalog, exitCodes } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolve-job.ts';
import { isJobLocked } from '../../ledger/file/job-lock.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { progressOf } from '../../overview/follow/follow-job.ts';
import { newestRun } from '../../overview/follow/newest-run.ts';
import type { EndedStart, JobState } from '../api/job-state.ts';
import { type Program, startDossier } from './start-run.ts';

/** Starts, watches and stops runs. A run is a process of its own, also one that a terminal has started. */
export interface RunDesk extends Disposable {
  /** Starts `dossier` with these words, such as `run leads.yaml`, unless the job is running. */
  start(job: ResolvedJob, words: readonly string[]): void;
  /** Asks the process that holds the job to end, as Ctrl-C does. */
  stop(job: ResolvedJob): void;
  stateOf(job: ResolvedJob): JobState;
}

interface Started {
  readonly isStopping: boolean;
  /** A process was started here, and has not ended; it may not hold the job yet. */
  readonly isUnderWay: boolean;
  readonly ended: EndedStart | null;
  readonly endedAt: number;
}

const notStarted: Started = { isStopping: false, isUnderWay: false, ended: null, endedAt: 0 };

export function openRunDesk(program: Program): RunDesk {
  /** By ledger and name of the job. */
  const started = new Map<string, Started>();
  const ledgers = new Map<string, Ledger>();

  const ledgerOf = (path: string): Ledger | undefined => {
    const known = ledgers.get(path);
    if (known) return known;
    const opened = openLedgerToRead(path);
    if (opened) ledgers.set(path, opened);
    return opened;
  };
  const change = (job: ResolvedJob, fact: Partial<Started>) => {
    const before = started.get(keyOf(job)) ?? notStarted;
    started.set(keyOf(job), { ...before, ...fact });
  };
  return {
    start(job, words) {
      if (isBusy(job)) {
        throw new DossierError('JOB_BUSY', `a run of ${job.name} is under way already`);
      }
      change(job, { isStopping: false, isUnderWay: true, ended: null });
      void startDossier(program, words).ended.then((ended) =>
        change(job, { ended, endedAt: Date.now(), isUnderWay: false, isStopping: false }),
      );
    },
    stop(job) {
      const pid = pidOf(ledgerOf(job.ledger), job);
      if (pid === undefined) return;
      change(job, { isStopping: true });
      process.kill(pid, 'SIGINT');
    },
    stateOf(job) {
      const { isStopping, isUnderWay, ended, endedAt } = started.get(keyOf(job)) ?? notStarted;
      const isRunning = isBusy(job);
      const ledger = ledgerOf(job.ledger);
      const run = ledger && newestRun(ledger, job.name, isRunning);
      if (!ledger || !run) {
        const nothing = { inFlight: 0, run: null, rowLimit: null, secondsLeft: null };
        return { ...{ isRunning, isStopping, ended }, ...nothing };
      }
      const report = progressOf({ ledger, run, isRunning });
      return {
        ...{ isRunning, run: report, rowLimit: run.rowLimit },
        ended: isRunning || isUnderWay ? ended : (endInLedger(ledger, job, endedAt) ?? ended),
        isStopping: isStopping && isRunning,
        inFlight: isRunning ? ledger.calls.unanswered(run.id).length : 0,
        secondsLeft: isRunning ? secondsLeft(run, report.calls) : null,
      };
    },
    [Symbol.dispose]() {
      for (const ledger of ledgers.values()) ledger[Symbol.dispose]();
      ledgers.clear();
    },
  };
}

function keyOf({ ledger, name }: ResolvedJob): string {
  return `${ledger}\n${name}`;
}

function isBusy({ ledger, name }: ResolvedJob): boolean {
  return isJobLocked(ledger, name);
}

/** The process that holds the job, where it is one of this machine. */
function pidOf(ledger: Ledger | undefined, job: ResolvedJob): number | undefined {
  const [newest] = ledger?.starts.list(job.name, 1) ?? [];
  if (!newest || newest.endedAt !== null || !isBusy(job)) return undefined;
  if (newest.host === hostname()) return newest.pid;
  throw new DossierError('JOB_BUSY', `the run of ${job.name} is on ${newest.host}: stop it there`);
}

/** Why the last start of the job ended, where it was not begun here: what a terminal said is not known. */
function endInLedger(ledger: Ledger, { name }: ResolvedJob, endedHere: number): EndedStart | null {
  const [newest] = ledger.starts.list(name, 1);
  if (!newest || newest.startedAt < endedHere) return null;
  if (newest.endedAt === null || newest.exitCode === null) return null;
  const { exitCode, reason } = newest;
  const known = reason !== null && reason in errorCatalog ? (reason as ErrorCode) : undefined;
  return {
    ...{ exitCode, reason },
    message: exitCodes[exitCode as keyof typeof exitCodes]?.means ?? null,
    remedy: known ? errorCatalog[known].remedy : null,
  };
}

/** At the pace of the run since it was taken up. The first seconds tell nothing. */
function secondsLeft(
  run: Run,
  calls: { readonly made: number; readonly open: number },
): number | null {
  const seconds = (Date.now() - run.lastStartedAt) / 1_000;
  if (calls.made === 0 || seconds < 2) return null;
  return Math.ceil((calls.open * seconds) / calls.made);
}
