import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { exitCodes } from '../../../core/errors/exit-codes.ts';
import { DossierError, isErrorCode, remedyOnPage } from '../../../core/errors.ts';
import { foundNothing } from '../../../core/rules/outcomes.ts';
import { formatSpent } from '../../../core/values/money.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import type { Run } from '../../../engine/ledger/runs/runs.ts';
import type { Start } from '../../../engine/ledger/runs/starts.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { readRunFacts, spentBy } from '../../../run/run-facts.ts';
import type { RunFacts } from '../../../run/run-schemas.ts';
import type { JobState, ShownRun } from '../api/answers.ts';
import { findJob } from '../find-job.ts';
import type { Command, DossierProgram, EndedStart } from './dossier-program.ts';

interface Started {
  readonly pid: number | undefined;
  readonly startedAt: number;
  readonly isExport: boolean;
  /** Null while the process runs. */
  readonly ended: EndedStart | null;
}

/** A run is a separate process, started here or in a terminal. */
export interface Runs extends Disposable {
  start(path: string, job: ResolvedJob, command: Command, flags: readonly string[]): void;
  stop(job: ResolvedJob): void;
  /** The file of a running job may have been changed or removed since it started. */
  findJob(path: string): ResolvedJob;
  stateOf(job: ResolvedJob): JobState;
}

export function openRuns(program: DossierProgram): Runs {
  const started = new Map<string, Started>();
  /** When the process started that was asked to stop. */
  const stopped = new Map<string, number>();
  const jobs = new Map<string, ResolvedJob>();
  const ledgers = openLedgers();
  const secondsLeft = createPace();
  /** A new process may not have locked its job yet. */
  const isRunning = (job: ResolvedJob) =>
    started.get(keyOf(job))?.ended === null || isJobLocked(job.ledger, job.name);
  return {
    start(path, job, command, flags) {
      if (isRunning(job)) {
        throw new DossierError('JOB_BUSY', `a run of ${job.name} is already in progress`);
      }
      const { pid, ended } = program.start(command, path, flags);
      const start = { pid, isExport: command === 'export', startedAt: Date.now(), ended: null };
      started.set(keyOf(job), start);
      jobs.set(path, job);
      void ended.then((end) => void started.set(keyOf(job), { ...start, ended: end }));
    },
    stop(job) {
      const own = started.get(keyOf(job));
      // The ledger may not have our own process yet, and may still name a dead one.
      const holder = own?.ended === null ? own : holderOf(ledgers.at(job.ledger), job);
      // A second signal would lose the answers in flight.
      if (holder?.pid === undefined || stopped.get(keyOf(job)) === holder.startedAt) return;
      stopped.set(keyOf(job), holder.startedAt);
      interrupt(holder.pid);
    },
    findJob(path) {
      const known = jobs.get(path);
      return known && isRunning(known) ? known : findJob(path);
    },
    stateOf(job) {
      const isUnderWay = isRunning(job);
      const ledger = ledgers.at(job.ledger);
      const own = started.get(keyOf(job));
      const [newest] = ledger?.starts.list(job.name, 1) ?? [];
      const holder = own?.ended === null ? own : newest;
      const ended = isUnderWay ? null : lastEnd(own, newest);
      const run = ledger && newestRun(ledger, job.name, isUnderWay);
      const isExport = own?.ended === null && own.isExport;
      const shown = ledger && run && showRun(ledger, run, isUnderWay, isExport, newest);
      return {
        isRunning: isUnderWay,
        isStarting:
          isUnderWay &&
          !isExport &&
          run !== undefined &&
          run.lastStartedAt < (holder?.startedAt ?? 0),
        isStopping: isUnderWay && stopped.get(keyOf(job)) === (holder?.startedAt ?? null),
        ended,
        run: shown ?? null,
        inFlight: ledger && run && isUnderWay ? ledger.calls.unanswered(run.id).length : 0,
        secondsLeft: shown && isUnderWay ? secondsLeft(job, run, shown.calls) : null,
      };
    },
    [Symbol.dispose]: ledgers[Symbol.dispose],
  };
}

function keyOf({ ledger, name }: ResolvedJob) {
  return `${ledger}\n${name}`;
}

function holderOf(ledger: Ledger | undefined, job: ResolvedJob): Start | undefined {
  const [newest] = ledger?.starts.list(job.name, 1) ?? [];
  const isHeld = isJobLocked(job.ledger, job.name);
  if (!newest || newest.endedAt !== null || !isHeld) return undefined;
  if (newest.host === hostname()) return newest;
  throw new DossierError(
    'JOB_BUSY',
    `${job.name} is running on ${newest.host}: stop the run there`,
  );
}

function interrupt(pid: number) {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Prefers our own start, which has a message, unless a different process ran the job since. */
function lastEnd(own: Started | undefined, inLedger: Start | undefined): EndedStart | null {
  const isOurs = own && (inLedger?.pid === own.pid || (inLedger?.startedAt ?? 0) < own.startedAt);
  if (isOurs) return own.ended;
  if (!inLedger || inLedger.exitCode === null) return null;
  const { exitCode, reason } = inLedger;
  return {
    exitCode,
    reason,
    message: exitCodes[exitCode as keyof typeof exitCodes]?.means ?? null,
    remedy: isErrorCode(reason) ? remedyOnPage(reason) : null,
  };
}

/** The page polls this about every second, so only counts are read. */
function showRun(
  ledger: Ledger,
  run: Run,
  isRunning: boolean,
  isExport: boolean,
  newest: Start | undefined,
): ShownRun {
  return ledger.inTransaction(() => {
    const isReading = run.state === 'ingesting';
    const start = newest?.runId === run.id ? newest : undefined;
    const facts = readRunFacts(ledger, run, { start, isRunning });
    const total = isReading ? ledger.lists.size(run.listId) : facts.rows.total;
    return {
      ...facts,
      rows: { ...facts.rows, open: facts.rows.open + total - facts.rows.total, total },
      phase: phaseOf(facts, isExport, isReading),
      hasPeople: run.hasPeople,
      paid: formatSpent(facts),
      foundNothing: foundNothing(facts.rows),
      paidByAll: isRunning ? '' : spentBy(ledger, ledger.runs.list(run.job)),
    };
  });
}

function phaseOf(
  { state, calls }: RunFacts,
  isExport: boolean,
  isReading: boolean,
): ShownRun['phase'] {
  if (isExport) return 'writing';
  if (state !== 'running') return null;
  if (isReading) return 'reading';
  return calls.open > 0 ? 'calling' : 'writing';
}

/** Estimates the time left from the pace since this process was first seen. */
function createPace() {
  const seen = new Map<string, { start: number; at: number; made: number }>();
  return (job: ResolvedJob, { lastStartedAt: start }: Run, calls: RunFacts['calls']) => {
    const known = seen.get(keyOf(job));
    const now = Date.now();
    const since = known?.start === start ? known : { start, at: now, made: calls.made };
    seen.set(keyOf(job), since);
    const seconds = (now - since.at) / 1_000;
    const pace = seconds < 2 ? Number.POSITIVE_INFINITY : (calls.made - since.made) / seconds;
    const rate = job.limits.rate === 'none' ? Number.POSITIVE_INFINITY : job.limits.rate;
    const perSecond = Math.min(pace, rate);
    return perSecond === 0 || !Number.isFinite(perSecond)
      ? null
      : Math.ceil(calls.open / perSecond);
  };
}

/** A run that died while reading its list has nothing to show. */
export function newestRun({ runs }: Ledger, job: string, isRunning: boolean): Run | undefined {
  return runs.list(job).find(({ state }) => state !== 'ingesting' || isRunning);
}

export interface OpenLedgers extends Disposable {
  /** Undefined if there is no ledger, or while a run creates it. */
  at(path: string): Ledger | undefined;
}

export function openLedgers(): OpenLedgers {
  const opened = new Map<string, { ledger: Ledger; file: string }>();
  const close = (path: string) => {
    opened.get(path)?.ledger[Symbol.dispose]();
    opened.delete(path);
  };
  return {
    at(path) {
      const facts = statSync(path, { throwIfNoEntry: false });
      const file = facts && `${facts.dev} ${facts.ino}`;
      // A moved or recreated ledger is a different file under the same path.
      if (opened.get(path)?.file !== file) close(path);
      const known = opened.get(path)?.ledger;
      if (known || file === undefined) return known;
      const ledger = openLedgerToRead(path);
      if (ledger) opened.set(path, { ledger, file });
      return ledger;
    },
    [Symbol.dispose]() {
      for (const path of [...opened.keys()]) close(path);
    },
  };
}
