import type { Database } from 'better-sqlite3';

/** The workbench, a user at a terminal, or a program: a scheduler, say. */
export type StartedBy = 'page' | 'terminal' | 'script';

/** Where a start of a job came from. */
export interface NewStart {
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

export type StartEnd = {
  readonly [Fact in 'endedAt' | 'exitCode']: NonNullable<Start[Fact]>;
} & Pick<Start, 'reason'>;

/** What tells whether a start died without storing an answer. */
export interface CallingStart {
  readonly runId: number;
  /** Calls that its run had made before it. */
  readonly callsBefore: number;
  /** Starts in a row before it that died with calls in flight and stored no answer. */
  readonly deadStarts: number;
}

export interface Starts {
  /** Notes a start and gives its id; forgets the oldest of the job where there are many. */
  begin(start: NewStart): number;
  /** The start has read the list of a run, or taken one up. */
  putRun(id: number, runId: number): void;
  /** The start begins to make calls. */
  putCalling(id: number, start: CallingStart): void;
  end(id: number, end: StartEnd): void;
  /** The last start of a job that made calls. */
  lastCalling(job: string): CallingStart | undefined;
  /** Newest first. */
  list(job: string, most: number): Start[];
}

/** Half a year of nights; a start takes about 100 bytes. */
const mostStarts = 200;

export function startsIn(db: Database): Starts {
  const statements = prepareStatements(db);
  return {
    begin(start) {
      const { lastInsertRowid } = statements.begin.run(start);
      statements.forget.run({ job: start.job, most: mostStarts });
      return Number(lastInsertRowid);
    },
    putRun: (id, runId) => void statements.putRun.run({ id, runId }),
    putCalling: (id, start) => void statements.putCalling.run({ id, ...start }),
    end: (id, end) => void statements.end.run({ id, ...end }),
    lastCalling: (job) => statements.lastCalling.get({ job }),
    list: (job, most) => statements.list.all({ job, most }),
  };
}

function prepareStatements(db: Database) {
  return {
    begin: db.prepare<NewStart>(`
      insert into start (job, host, pid, version, started_by, started_at)
      values (:job, :host, :pid, :version, :startedBy, :startedAt)`),
    forget: db.prepare<{ job: string; most: number }>(`
      delete from start where job = :job and id <= (
        select id from start where job = :job order by id desc limit 1 offset :most)`),
    putRun: db.prepare<{ id: number; runId: number }>(
      'update start set run_id = :runId where id = :id',
    ),
    putCalling: db.prepare<{ id: number } & CallingStart>(`
      update start
      set run_id = :runId, calls_before = :callsBefore, dead_starts = :deadStarts where id = :id`),
    end: db.prepare<{ id: number } & StartEnd>(`
      update start set ended_at = :endedAt, exit_code = :exitCode, reason = :reason
      where id = :id`),
    lastCalling: db.prepare<{ job: string }, CallingStart>(`
      select run_id as runId, calls_before as callsBefore, dead_starts as deadStarts
      from start where job = :job and calls_before is not null order by id desc limit 1`),
    list: db.prepare<{ job: string; most: number }, Start>(`
      select job, run_id as runId, host, pid, version, started_by as startedBy,
        started_at as startedAt,
        ended_at as endedAt, exit_code as exitCode, reason
      from start where job = :job order by id desc limit :most`),
  };
}
