import type { Database } from 'better-sqlite3';

/** The last start of a job that made calls. */
export interface Start {
  readonly runId: number;
  /** Calls that its run had made before it. */
  readonly callsBefore: number;
  /** Starts in a row before it that died with calls in flight and stored no answer. */
  readonly deadStarts: number;
}

export interface Starts {
  last(job: string): Start | undefined;
  put(job: string, start: Start): void;
}

export function startsIn(db: Database): Starts {
  const statements = prepareStatements(db);
  return {
    last: (job) => statements.get.get({ job }),
    put: (job, start) => void statements.put.run({ job, ...start }),
  };
}

function prepareStatements(db: Database) {
  return {
    get: db.prepare<{ job: string }, Start>(`
      select run_id as runId, calls_before as callsBefore, dead_starts as deadStarts
      from start where job = :job`),
    put: db.prepare<{ job: string } & Start>(`
      insert or replace into start (job, run_id, calls_before, dead_starts)
      values (:job, :runId, :callsBefore, :deadStarts)`),
  };
}
