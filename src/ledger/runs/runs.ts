import type { Database } from 'better-sqlite3';

export type RunState = 'ingesting' | 'open' | 'finished' | 'superseded';

export interface Run {
  readonly id: number;
  readonly job: string;
  readonly jobFingerprint: string;
  readonly inputStamp: string | null;
  readonly inputName: string;
  readonly inputSha256: string | null;
  /** Absolute path of the list that the job is for, or `-`; `--input` may have given another. */
  readonly list: string;
  /** Rows that it reads at most; null for the whole list. */
  readonly rowLimit: number | null;
  /** Address of the service, or `embedded` for sample data. */
  readonly service: string;
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  readonly state: RunState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

export type NewRun = Pick<
  Run,
  | 'job'
  | 'jobFingerprint'
  | 'inputStamp'
  | 'inputName'
  | 'list'
  | 'rowLimit'
  | 'service'
  | 'columns'
  | 'hasPeople'
  | 'startedAt'
>;

/** What people and paths call a run: `r7`. */
export function runName({ id }: Pick<Run, 'id'>): string {
  return `r${id}`;
}

export interface Runs {
  start(run: NewRun): Run;
  /** The whole list is read: the run can be resumed, and unfinished runs of the job are superseded. */
  completeIngest(
    run: Pick<Run, 'id' | 'job'>,
    facts: { columns: readonly string[]; inputSha256: string },
  ): void;
  finish(runId: number, finishedAt: number): void;
  /** Removes runs of processes that died while they read their list. */
  dropUnfinishedIngests(job: string): void;
  get(runId: number): Run | undefined;
  newest(job: string): Run | undefined;
  /** Newest first. */
  list(job?: string): Run[];
  /** Whether a job of this name has run, and whether it has for this list. */
  knows(job: string, list: string): { readonly job: boolean; readonly list: boolean };
}

export function runsIn(db: Database): Runs {
  const statements = prepareStatements(db);
  const get = (runId: number) => asRun(statements.get.get({ runId }));
  return {
    start(run) {
      const { lastInsertRowid } = statements.insert.run({
        ...run,
        columns: JSON.stringify(run.columns),
        hasPeople: run.hasPeople ? 1 : 0,
      });
      return get(Number(lastInsertRowid)) as Run;
    },
    completeIngest({ id, job }, { columns, inputSha256 }) {
      statements.supersede.run({ job });
      const facts = { columns: JSON.stringify(columns), inputSha256 };
      statements.completeIngest.run({ runId: id, ...facts });
    },
    finish: (runId, finishedAt) => void statements.finish.run({ runId, finishedAt }),
    dropUnfinishedIngests(job) {
      for (const { id } of statements.unfinishedIngests.all({ job })) {
        statements.dropRows.run({ runId: id });
        statements.dropOutcomes.run({ runId: id });
        statements.dropTasks.run({ runId: id });
        statements.dropRun.run({ runId: id });
      }
    },
    get,
    newest: (job) => asRun(statements.newest.get({ job })),
    list: (job) =>
      statements.list
        .all({ job: job ?? null })
        .map(asRun)
        .filter((run) => run !== undefined),
    knows: (job, list) => ({
      job: statements.ofJob.get({ job }) !== undefined,
      list: statements.ofList.get({ job, list }) !== undefined,
    }),
  };
}

interface RunRow {
  id: number;
  job: string;
  job_fingerprint: string;
  input_stamp: string | null;
  input_name: string;
  input_sha256: string | null;
  list: string;
  row_limit: number | null;
  service: string;
  columns: string;
  has_people: number;
  state: RunState;
  started_at: number;
  finished_at: number | null;
}

function asRun(row: RunRow | undefined): Run | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    job: row.job,
    jobFingerprint: row.job_fingerprint,
    inputStamp: row.input_stamp,
    inputName: row.input_name,
    inputSha256: row.input_sha256,
    list: row.list,
    rowLimit: row.row_limit,
    service: row.service,
    columns: JSON.parse(row.columns) as string[],
    hasPeople: row.has_people === 1,
    state: row.state,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

function prepareStatements(db: Database) {
  return {
    insert: db.prepare(`
      insert into run (
        job, job_fingerprint, input_stamp, input_name, list, row_limit, service, columns, has_people, state,
        started_at)
      values (
        :job, :jobFingerprint, :inputStamp, :inputName, :list, :rowLimit, :service, :columns, :hasPeople,
        'ingesting', :startedAt)`),
    completeIngest: db.prepare(`
      update run set state = 'open', columns = :columns, input_sha256 = :inputSha256
      where id = :runId`),
    finish: db.prepare(
      `update run set state = 'finished', finished_at = :finishedAt where id = :runId`,
    ),
    supersede: db.prepare(
      `update run set state = 'superseded' where job = :job and state = 'open'`,
    ),
    unfinishedIngests: db.prepare<{ job: string }, { id: number }>(
      `select id from run where job = :job and state = 'ingesting'`,
    ),
    dropRows: db.prepare(`delete from row where run_id = :runId`),
    dropOutcomes: db.prepare(`delete from row_outcome where run_id = :runId`),
    dropTasks: db.prepare(`delete from open_call where run_id = :runId`),
    dropRun: db.prepare(`delete from run where id = :runId`),
    get: db.prepare<{ runId: number }, RunRow>(`select * from run where id = :runId`),
    newest: db.prepare<{ job: string }, RunRow>(
      `select * from run where job = :job and state <> 'ingesting' order by id desc limit 1`,
    ),
    list: db.prepare<{ job: string | null }, RunRow>(
      `select * from run where :job is null or job = :job order by id desc`,
    ),
    ofJob: db.prepare<{ job: string }, object>(`select id from run where job = :job limit 1`),
    ofList: db.prepare<{ job: string; list: string }, object>(
      `select id from run where job = :job and list = :list limit 1`,
    ),
  };
}
