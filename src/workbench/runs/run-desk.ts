import { hostname } from 'node:os';
import { exitCodes } from '../../errors/exit-codes.ts';
import { DossierError, isErrorCode, remedyOnPage } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isJobLocked } from '../../ledger/file/locks.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { noCounts } from '../../ledger/runs/progress.ts';
import { type Run, runName, timeTaken } from '../../ledger/runs/runs.ts';
import type { Start } from '../../ledger/runs/starts.ts';
import { paidBy } from '../../report/paid-by.ts';
import { answeredCalls } from '../../rules/outcomes.ts';
import { savedCalls } from '../../rules/saved-calls.ts';
import type { EndedStart, JobState, RunProgress } from '../api/job-state.ts';
import { findJob } from '../jobs/find-job.ts';
import type { DossierProgram } from './dossier-program.ts';
import { newestRun } from './newest-run.ts';
import { openLedgers } from './open-ledgers.ts';
import { isStopNoted, noteStop, type RunProcess } from './stop-note.ts';

/** Starts, watches and stops runs. A run is a process of its own, also one that a terminal has started. */
export interface RunDesk extends Disposable {
  /** Starts `dossier` with these words, such as `run leads.yaml`, unless the job is running. */
  start(path: string, job: ResolvedJob, words: readonly string[]): void;
  /** Opens a job of the folder; one that runs, as it was started: its file may be broken or gone since. */
  findJob(path: string): ResolvedJob;
  /** Asks the process that holds the job to end, as Ctrl-C does. */
  stop(job: ResolvedJob): void;
  stateOf(job: ResolvedJob): JobState;
}

/** A process that this server has started for a job. */
interface Started {
  readonly pid: number | undefined;
  readonly startedAt: number;
  /** It writes the result of the newest run, and begins no other. */
  readonly isExport: boolean;
  /** Null while it goes on. */
  readonly ended: EndedStart | null;
}

export function openRunDesk(program: Pick<DossierProgram, 'start'>): RunDesk {
  /** By ledger and name of the job. */
  const started = new Map<string, Started>();
  /** Jobs that were started here, by their paths. */
  const jobs = new Map<string, ResolvedJob>();
  const ledgers = openLedgers();
  /** A process that has just been started does not hold its job yet. */
  const isRunning = (job: ResolvedJob) =>
    started.get(keyOf(job))?.ended === null || isJobLocked(job.ledger, job.name);
  return {
    start(path, job, words) {
      if (isRunning(job)) {
        throw new DossierError('JOB_BUSY', `a run of ${job.name} is under way already`);
      }
      const { pid, ended } = program.start(words);
      const isExport = words[0] === 'export';
      const start = { pid, isExport, startedAt: Date.now(), ended: null };
      started.set(keyOf(job), start);
      jobs.set(path, job);
      void ended.then((end) => started.set(keyOf(job), { ...start, ended: end }));
    },
    stop(job) {
      const own = started.get(keyOf(job));
      // A process of ours may not have noted its start yet, and the start before it may have been killed.
      const holder =
        own?.ended === null ? own : holderOf(ledgers.of(job.ledger, isRunning(job)), job);
      if (isProcess(holder) && noteStop(job, holder)) interrupt(holder.pid);
    },
    findJob(path) {
      const known = jobs.get(path);
      return known && isRunning(known) ? known : findJob(path);
    },
    stateOf(job) {
      const isUnderWay = isRunning(job);
      const ledger = ledgers.of(job.ledger, isUnderWay);
      const own = started.get(keyOf(job));
      const [newest] = ledger?.starts.list(job.name, 1) ?? [];
      const holder = own?.ended === null ? own : newest;
      const isStopping = isUnderWay && isProcess(holder) && isStopNoted(job, holder);
      const ended = isUnderWay ? null : lastEnd(own, newest);
      const run = ledger && newestRun(ledger, job.name, isUnderWay);
      if (!ledger || !run) {
        const nothing = { inFlight: 0, run: null, rowLimit: null, secondsLeft: null };
        return {
          ...{ isRunning: isUnderWay, isStarting: false, isStopping, ended, ...nothing },
          canWriteAgain: false,
        };
      }
      const progress = progressOf(ledger, run, isUnderWay);
      const isExport = own?.ended === null && own.isExport;
      return {
        isRunning: isUnderWay,
        isStarting: isUnderWay && !isExport && run.lastStartedAt < (holder?.startedAt ?? 0),
        ...{ isStopping, ended, rowLimit: run.rowLimit },
        run: isExport ? { ...progress, run: { ...progress.run, state: 'writing' } } : progress,
        inFlight: isUnderWay ? ledger.calls.unanswered(run.id).length : 0,
        secondsLeft: isUnderWay ? secondsLeft(run, progress.calls) : null,
        canWriteAgain: run.state === 'finished' && isUnwritten(ended),
      };
    },
    [Symbol.dispose]() {
      ledgers[Symbol.dispose]();
    },
  };
}

function keyOf({ ledger, name }: ResolvedJob): string {
  return `${ledger}\n${name}`;
}

/** The process that holds the job, where it is one of this machine. */
function holderOf(ledger: Ledger | undefined, job: ResolvedJob): Start | undefined {
  const [newest] = ledger?.starts.list(job.name, 1) ?? [];
  const isHeld = isJobLocked(job.ledger, job.name);
  if (!newest || newest.endedAt !== null || !isHeld) return undefined;
  if (newest.host === hostname()) return newest;
  throw new DossierError('JOB_BUSY', `the run of ${job.name} is on ${newest.host}: stop it there`);
}

/** A process that could not be started has no id. */
function isProcess(holder: Started | Start | undefined): holder is (Started | Start) & RunProcess {
  return holder?.pid !== undefined;
}

function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    // It has ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** How the last start ended: one of ours tells more, unless another process has run the job since. */
function lastEnd(own: Started | undefined, inLedger: Start | undefined): EndedStart | null {
  const isOurs = own && (inLedger?.pid === own.pid || (inLedger?.startedAt ?? 0) < own.startedAt);
  return isOurs ? own.ended : endInLedger(inLedger);
}

function endInLedger(start: Start | undefined): EndedStart | null {
  if (!start || start.exitCode === null) return null;
  const { exitCode, reason } = start;
  return {
    ...{ exitCode, reason },
    message: exitCodes[exitCode as keyof typeof exitCodes]?.means ?? null,
    remedy: isErrorCode(reason) ? remedyOnPage(reason) : null,
  };
}

/** Whether the start ended because a place of the result could not be written. */
function isUnwritten(ended: EndedStart | null): boolean {
  return /^(?:OUTPUT|WAREHOUSE)_/.test(ended?.reason ?? '');
}

/** Where a run stands, by its counts alone, since the page asks for it every second. */
function progressOf(ledger: Ledger, run: Run, isRunning: boolean): RunProgress {
  return ledger.together(() => {
    const isReading = run.state === 'ingesting';
    const { rows, people, ...counts } = isReading ? noCounts : ledger.counts(run.id);
    const { called, ...calls } = counts.calls;
    const settled = rows.matched + rows.not_found + rows.invalid + rows.failed;
    const total = isReading ? ledger.lists.size(run.listId) : settled + rows.open;
    return {
      run: {
        id: runName(run),
        state: stateOf(run, isRunning, calls.open),
        held: run.held?.map(({ message }) => message) ?? [],
        hasPeople: run.hasPeople,
        took: timeTaken(run, run.finishedAt ?? Date.now()),
      },
      rows: { ...rows, open: total - settled, total },
      people,
      calls: {
        made: answeredCalls({ called, failed: calls.failed }),
        ...calls,
        saved: savedCalls(calls),
      },
      ...paidBy(ledger, run.id),
    };
  });
}

function stateOf(run: Run, isRunning: boolean, openCalls: number): RunProgress['run']['state'] {
  if (run.state === 'finished') return 'finished';
  if (!isRunning) return 'interrupted';
  if (run.state === 'ingesting') return 'reading';
  return openCalls === 0 ? 'writing' : 'running';
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
