import { hostname } from 'node:os';
import type { Database } from 'better-sqlite3';
import { exitCodeOf, reasonOf } from '../../errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Ledger } from '../open-ledger.ts';

/** The workbench, a user at a terminal, or a program: a scheduler, say. */
export type StartedBy = 'page' | 'terminal' | 'script';

/** Where a start of a job came from. */
interface NewStart {
  readonly job: string;
  /** Name of the machine. */
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly startedBy: StartedBy;
  readonly startedAt: number;
}

/** A start of a job that held it, and how it ended. */
export interface Start extends NewStart {
  /** Null where it ended before it had a run. */
  readonly runId: number | null;
  /** Null while it goes on, and where its process was killed. */
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  /** Code of the error that ended it. */
  readonly reason: string | null;
}

/** What tells whether a start died without storing an answer. */
interface CallingStart {
  readonly runId: number;
  /** Calls that its run had made before it. */
  readonly callsBefore: number;
  /** Starts in a row before it that died with calls in flight and stored no answer. */
  readonly deadStarts: number;
}

/** Half a year of nights; a start takes about 100 bytes. */
const mostStarts = 200;

export function startsIn(db: Database) {
  type OfJob = { job: string; most: number };
  const begin = db.prepare<NewStart>(`
    insert into start (job, host, pid, version, started_by, started_at)
    values (:job, :host, :pid, :version, :startedBy, :startedAt)`);
  const forget = db.prepare<OfJob>(`
    delete from start where job = :job and id <= (
      select id from start where job = :job order by id desc limit 1 offset :most)`);
  const putRun = db.prepare('update start set run_id = :runId where id = :id');
  const putCalling = db.prepare(`
    update start
    set run_id = :runId, calls_before = :callsBefore, dead_starts = :deadStarts where id = :id`);
  const end = db.prepare(`
    update start set ended_at = :endedAt, exit_code = :exitCode, reason = :reason
    where id = :id`);
  const lastCalling = db.prepare<{ job: string }, CallingStart>(`
    select run_id as runId, calls_before as callsBefore, dead_starts as deadStarts
    from start where job = :job and calls_before is not null order by id desc limit 1`);
  const list = db.prepare<OfJob, Start>(`
    select job, run_id as runId, host, pid, version, started_by as startedBy,
      started_at as startedAt,
      ended_at as endedAt, exit_code as exitCode, reason
    from start where job = :job order by id desc limit :most`);
  return {
    /** Notes a start and gives its id; forgets the oldest of the job where there are many. */
    begin(start: NewStart) {
      const { lastInsertRowid } = begin.run(start);
      forget.run({ job: start.job, most: mostStarts });
      return Number(lastInsertRowid);
    },
    /** The start has read the list of a run, or taken one up. */
    putRun: (id: number, runId: number) => void putRun.run({ id, runId }),
    /** The start begins to make calls. */
    putCalling: (id: number, start: CallingStart) => void putCalling.run({ id, ...start }),
    end: (id: number, how: { endedAt: number; exitCode: number; reason: string | null }) =>
      void end.run({ id, ...how }),
    /** The last start of a job that made calls. */
    lastCalling: (job: string) => lastCalling.get({ job }),
    /** Newest first. */
    list: (job: string, most: number) => list.all({ job, most }),
  };
}

/** What a process tells of itself when it starts a job. */
export interface StartFacts {
  readonly version: string;
  readonly startedBy: StartedBy;
  readonly clock: Clock;
}

/** Notes that this process has taken a job, and gives the id of the start. */
export function noteStart(
  { starts }: Ledger,
  job: string,
  { version, startedBy, clock }: StartFacts,
): number {
  const startedAt = clock.wallMs();
  return starts.begin({ job, host: hostname(), pid: process.pid, version, startedBy, startedAt });
}

/** Notes which error ended a start. The ledger may be what ended it, so it is tried once. */
export function noteFailure(
  ledger: Ledger,
  startId: number,
  { clock }: StartFacts,
  error: unknown,
): void {
  const end = { endedAt: clock.wallMs(), exitCode: exitCodeOf(error), reason: reasonOf(error) };
  try {
    ledger.together(() => ledger.starts.end(startId, end));
  } catch {
    // The start has no end in the ledger, as if it had been killed; the error itself is told.
  }
}
