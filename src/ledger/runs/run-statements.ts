import type { Database } from 'better-sqlite3';
import type { AnswerTimes, Run, RunState } from './runs.ts';

/** A run as its table holds it. */
export interface RunRow {
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
  last_started_at: number;
  finished_at: number | null;
  held: string | null;
  owner: string | null;
}

export function prepareRunStatements(db: Database) {
  return {
    insert: db.prepare(`
      insert into run (
        job, job_fingerprint, input_stamp, input_name, list, row_limit, service, columns, has_people, state,
        started_at, last_started_at)
      values (
        :job, :jobFingerprint, :inputStamp, :inputName, :list, :rowLimit, :service, :columns, :hasPeople,
        'ingesting', :startedAt, :startedAt)`),
    completeIngest: db.prepare(`
      update run set state = 'open', columns = :columns, input_sha256 = :inputSha256
      where id = :runId`),
    resume: db.prepare(`
      update run set last_started_at = :startedAt, input_stamp = coalesce(:inputStamp, input_stamp)
      where id = :runId`),
    finish: db.prepare(`
      update run set state = 'finished', finished_at = :finishedAt, held = :held
      where id = :runId`),
    publish: db.prepare(`update run set held = null where id = :runId`),
    published: db.prepare<{ job: string; before: number }, RunRow>(`
      select * from run
      where job = :job and id < :before and state = 'finished' and held is null
        and row_limit is null
      order by id desc`),
    take: db.prepare(`update run set owner = :owner where id = :runId`),
    disown: db.prepare(`
      update run set owner = null
      where job = :job and owner is not null and (state = 'ingesting' or state = 'open')`),
    ownerOf: db.prepare<{ runId: number }, { owner: string | null }>(
      `select owner from run where id = :runId`,
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
    unfinishedSince: db.prepare<Pick<Run, 'job' | 'rowLimit'>, { startedAt: number | null }>(`
      select min(started_at) as startedAt from run
      where job = :job and state <> 'finished' and id > coalesce(
        (select max(id) from run
         where job = :job and state = 'finished'
           and (row_limit is null or :rowLimit is not null)), 0)`),
    hasTakenOlder: db.prepare<{ runId: number } & AnswerTimes, { found: 1 }>(`
      select 1 as found from completed_call d join answer a on a.id = d.answer_id
      where d.run_id = :runId and d.source <> 'called' and a.fetched_at < :any
        and a.fetched_at < case
          when a.outcome <> 'hit' then :misses
          when d.search_id is null then :companies
          else :people end
      limit 1`),
    list: db.prepare<{ job: string | null }, RunRow>(
      `select * from run where :job is null or job = :job order by id desc`,
    ),
    ofJob: db.prepare<{ job: string }, object>(`select id from run where job = :job limit 1`),
    ofList: db.prepare<{ job: string; list: string }, object>(
      `select id from run where job = :job and list = :list limit 1`,
    ),
  };
}
