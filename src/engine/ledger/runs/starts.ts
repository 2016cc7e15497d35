import { hostname } from 'node:os';
import { exitCodeOf, heldReason, reasonOf } from '../../../core/errors.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Ledger } from '../open-ledger.ts';
import type { Statements } from '../statements.ts';

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

export function startsIn({ run, get, all }: Statements) {
  type OfStart = { id: number };
  const begin = run(`
    insert into start (job, host, pid, version, started_by, started_at)
    values (:job, :host, :pid, :version, :startedBy, :startedAt)`);
  const forget = run(`
    delete from start where job = :job and id <= (
      select id from start where job = :job order by id desc limit 1 offset ${mostStarts})`);
  return {
    /** Notes a start and gives its id; forgets the oldest of the job where there are many. */
    begin(start: NewStart) {
      const { lastInsertRowid } = begin(start);
      forget({ job: start.job });
      return Number(lastInsertRowid);
    },
    /** The start has read the list of a run, or taken one up. */
    putRun: run<[OfStart & { runId: number }]>(`update start set run_id = :runId where id = :id`),
    /** The start begins to make calls. */
    putCalling: run<[OfStart & CallingStart]>(`
      update start
      set run_id = :runId, calls_before = :callsBefore, dead_starts = :deadStarts where id = :id`),
    end: run<[OfStart & { endedAt: number; exitCode: number; reason: string | null }]>(`
      update start set ended_at = :endedAt, exit_code = :exitCode, reason = :reason
      where id = :id`),
    /** All destinations have the result of this run, and with it the changes of the runs before it. */
    delivered: run<[{ job: string; runId: number }]>(`
      update start set reason = null
      where job = :job and run_id <= :runId and reason <> '${heldReason}'
        and run_id in (select id from run where job = :job and state = 'finished')`),
    /** The last start of a job that made calls. */
    lastCalling: get<CallingStart, [job: string]>(`
      select run_id as runId, calls_before as callsBefore, dead_starts as deadStarts
      from start where job = ? and calls_before is not null order by id desc limit 1`),
    /** Newest first. */
    list: all<Start, [job: string, most: number]>(`
      select job, run_id as runId, host, pid, version, started_by as startedBy,
        started_at as startedAt, ended_at as endedAt, exit_code as exitCode, reason
      from start where job = ? order by id desc limit ?`),
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
  { together, starts }: Ledger,
  id: number,
  { clock }: StartFacts,
  error: unknown,
): void {
  const endedAt = clock.wallMs();
  try {
    together(() =>
      starts.end({ id, endedAt, exitCode: exitCodeOf(error), reason: reasonOf(error) }),
    );
  } catch {
    // The start has no end in the ledger, as if it had been killed; the error itself is told.
  }
}
