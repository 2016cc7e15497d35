import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../../../core/errors/exit-codes.ts';
import { DossierError, isErrorCode, remedyOnPage } from '../../../core/errors.ts';
import { formatSpent } from '../../../core/runtime/budget/money.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import type { Run } from '../../../engine/ledger/runs/runs.ts';
import type { Start } from '../../../engine/ledger/runs/starts.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import type { RunFacts } from '../../../results/manifest.ts';
import { readRunFacts } from '../../../run/run-facts.ts';
import { findJob } from '../find-job.ts';
import type { DossierProgram, EndedStart } from './dossier-program.ts';

/** Starts, watches and stops runs. A run is a process of its own, also one that a terminal has started. */
export type Runs = ReturnType<typeof openRuns>;

/** A process that this server has started for a job. */
interface Started {
  readonly pid: number | undefined;
  readonly startedAt: number;
  /** It writes the result of the newest run, and begins no other. */
  readonly isExport: boolean;
  /** Null while it goes on. */
  readonly ended: EndedStart | null;
}

export function openRuns(program: Pick<DossierProgram, 'start'>) {
  /** By ledger and name of the job. */
  const started = new Map<string, Started>();
  /** Jobs that were started here, by their paths. */
  const jobs = new Map<string, ResolvedJob>();
  const ledgers = openLedgers();
  const secondsLeft = openPace();
  /** A process that has just been started does not hold its job yet. */
  const isRunning = (job: ResolvedJob) =>
    started.get(keyOf(job))?.ended === null || isJobLocked(job.ledger, job.name);
  return {
    /** Starts `dossier` with these words, such as `run leads.yaml`, unless the job is running. */
    start(path: string, job: ResolvedJob, words: readonly string[]) {
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
    /** Asks the process that holds the job to end, as Ctrl-C does. */
    stop(job: ResolvedJob) {
      const own = started.get(keyOf(job));
      // A process of ours may not have noted its start yet, and the start before it may have been killed.
      const holder =
        own?.ended === null ? own : holderOf(ledgers.of(job.ledger, isRunning(job)), job);
      if (isProcess(holder) && noteStop(holder)) interrupt(holder.pid);
    },
    /** Opens a job of the folder; one that runs, as it was started: its file may be broken or gone since. */
    findJob(path: string) {
      const known = jobs.get(path);
      return known && isRunning(known) ? known : findJob(path);
    },
    /** Where a job stands, as every view of it shows. */
    stateOf(job: ResolvedJob) {
      const isUnderWay = isRunning(job);
      const ledger = ledgers.of(job.ledger, isUnderWay);
      const own = started.get(keyOf(job));
      const [newest] = ledger?.starts.list(job.name, 1) ?? [];
      const holder = own?.ended === null ? own : newest;
      const isStopping = isUnderWay && isProcess(holder) && isStopNoted(holder);
      const ended = isUnderWay ? null : lastEnd(own, newest);
      const run = ledger && newestRun(ledger, job.name, isUnderWay);
      const isExport = own?.ended === null && own.isExport;
      const shown = ledger && run && showRun(ledger, run, isUnderWay, isExport, newest);
      return {
        isRunning: isUnderWay,
        /** It runs, and `run` is still the one before: a process needs a moment to begin another. */
        isStarting:
          isUnderWay &&
          !isExport &&
          run !== undefined &&
          run.lastStartedAt < (holder?.startedAt ?? 0),
        /** The user has asked for the end; the run waits for answers that may be charged. */
        isStopping,
        /** How the last start ended, whoever has started it; null while it goes on, or where it was killed. */
        ended,
        /** The newest run so far. */
        run: shown ?? null,
        /** Calls that were sent or are about to be: what a stop waits for at most. */
        inFlight: ledger && run && isUnderWay ? ledger.calls.unanswered(run.id).length : 0,
        /** Until the last call; null where it is not known. */
        secondsLeft: shown && isUnderWay ? secondsLeft(job, run, shown.calls) : null,
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
    exitCode,
    reason,
    message: exitCodes[exitCode as keyof typeof exitCodes]?.means ?? null,
    remedy: isErrorCode(reason) ? remedyOnPage(reason) : null,
  };
}

/** The facts of a run by its counts alone, since the page asks for them every second. */
function showRun(
  ledger: Ledger,
  run: Run,
  isRunning: boolean,
  isExport: boolean,
  newest: Start | undefined,
) {
  return ledger.together(() => {
    const isReading = run.state === 'ingesting';
    const start = newest?.runId === run.id ? newest : undefined;
    const facts = readRunFacts(ledger, run, { start, isRunning });
    const total = isReading ? ledger.lists.size(run.listId) : facts.rows.total;
    const phase = isReading
      ? ('reading' as const)
      : facts.calls.open > 0
        ? ('calling' as const)
        : ('writing' as const);
    return {
      ...facts,
      rows: { ...facts.rows, open: facts.rows.open + total - facts.rows.total, total },
      /** What the process at work on it does. */
      phase: isExport ? ('writing' as const) : facts.state === 'running' ? phase : null,
      hasPeople: run.hasPeople,
      /** What its calls cost, such as `AUD 14.40`; empty where the job has no price. */
      paid: formatSpent(facts),
    };
  });
}

/** The time that the open calls need: at the pace since this start was first seen, and never above the job's rate. */
function openPace() {
  const seen = new Map<
    string,
    { readonly start: number; readonly at: number; readonly made: number }
  >();
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

/** The newest run, except one that died while it read its list: it has nothing to show. */
export function newestRun(
  { runs }: Pick<Ledger, 'runs'>,
  job: string,
  isRunning: boolean,
): Run | undefined {
  return runs.list(job).find(({ state }) => state !== 'ingesting' || isRunning);
}

/**
 * The ledgers of a folder's jobs, kept open to be read. Undefined if there is none: a run that begins may still be
 * making its ledger, or bringing it up to date.
 */
export function openLedgers() {
  const opened = new Map<string, { readonly ledger: Ledger; readonly file: string }>();
  const close = (path: string) => {
    opened.get(path)?.ledger[Symbol.dispose]();
    opened.delete(path);
  };
  return {
    of(path: string, isRunning: boolean): Ledger | undefined {
      const file = fileAt(path);
      // A ledger that was moved away or made anew is another one, under the same path.
      if (opened.get(path)?.file !== file) close(path);
      const known = opened.get(path)?.ledger;
      if (known || file === undefined) return known;
      const ledger = isRunning ? openUnlessBeingMade(path) : openLedgerToRead(path);
      if (ledger) opened.set(path, { ledger, file });
      return ledger;
    },
    [Symbol.dispose]() {
      for (const path of [...opened.keys()]) close(path);
    },
  };
}

function openUnlessBeingMade(path: string): Ledger | undefined {
  try {
    return openLedgerToRead(path);
  } catch (error) {
    // A reader finds that a migration is missing, and may not write.
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'SQLITE_READONLY') return undefined;
    throw error;
  }
}

function fileAt(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  return facts && `${facts.dev} ${facts.ino}`;
}

/** A process that runs a job. Another one may get its id when it has ended. */
interface RunProcess {
  readonly pid: number;
  readonly startedAt: number;
}

const stopNote = (pid: number) => join(tmpdir(), `dossier-ui-${pid}-stop`);

/**
 * Notes that a process is asked to stop; false if it was noted before, by any server of this machine. A second signal
 * makes a run leave at once and costs the answers that are on their way.
 */
export function noteStop(process: RunProcess): boolean {
  if (isStopNoted(process)) return false;
  const note = stopNote(process.pid);
  if (existsSync(note)) rmSync(note);
  try {
    writeFileSync(note, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

export function isStopNoted({ pid, startedAt }: RunProcess): boolean {
  const noted = statSync(stopNote(pid), { throwIfNoEntry: false });
  // An older note is of a process that had the same id.
  return noted !== undefined && noted.mtimeMs >= startedAt;
}
