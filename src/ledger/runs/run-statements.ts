import type { Database } from 'better-sqlite3';
import type { Run, RunState } from './runs.ts';

/** A run as its table holds it. */
export interface RunRow {
  id: number;
  job: string;
  job_fingerprint: string;
  verdict_terms: string;
  input_stamp: string | null;
  input_name: string;
  input_path: string;
  input_sha256: string | null;
  list: string;
  list_id: number;
  row_limit: number | null;
  service: string;
  columns: string;
  key_columns: string | null;
  corrections: string | null;
  has_people: number;
  state: RunState;
  started_at: number;
  last_started_at: number;
  finished_at: number | null;
  held: string | null;
  accepted_at: number | null;
  pruned_at: number | null;
  owner: string | null;
}

export function prepareRunStatements(db: Database) {
  return {
    insert: db.prepare(`
      insert into run (
        job, job_fingerprint, verdict_terms, input_stamp, input_name, input_path, list, list_id, row_limit, service, columns, has_people, state,
        started_at, last_started_at)
      values (
        :job, :jobFingerprint, :verdictTerms, :inputStamp, :inputName, :inputPath, :list, :listId, :rowLimit, :service, :columns, :hasPeople,
        'ingesting', :startedAt, :startedAt)`),
    completeIngest: db.prepare(`
      update run
      set state = 'open', columns = :columns, key_columns = :keyColumns,
        corrections = :corrections, input_sha256 = :inputSha256, list_id = :listId
      where id = :runId`),
    resume: db.prepare(`
      update run set last_started_at = :startedAt, input_stamp = coalesce(:inputStamp, input_stamp)
      where id = :runId`),
    finish: db.prepare(`
      update run set state = 'finished', finished_at = :finishedAt, held = :held
      where id = :runId`),
    publish: db.prepare(`update run set held = null, accepted_at = :acceptedAt where id = :runId`),
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
    // Rows stay: the list will most likely be read again.
    drop: [
      `delete from list_block where list_id = (select list_id from run where id = :runId)`,
      `delete from list where id = (select list_id from run where id = :runId)`,
      `delete from outcome where run_id = :runId`,
      `delete from waiting where run_id = :runId`,
      `delete from search where run_id = :runId`,
      `delete from progress where run_id = :runId`,
      `delete from run where id = :runId`,
    ].map((text) => db.prepare(text)),
    get: db.prepare<{ runId: number }, RunRow>(`select * from run where id = :runId`),
    newest: db.prepare<{ job: string }, RunRow>(
      `select * from run where job = :job and state <> 'ingesting' order by id desc limit 1`,
    ),
    newestKeyed: db.prepare<Pick<Run, 'job' | 'inputPath'>, RunRow>(`
      select * from run
      where job = :job and state <> 'ingesting' and row_limit is null and key_columns is not '[]'
      order by input_path = :inputPath desc, id desc limit 1`),
    unfinishedSince: db.prepare<
      Pick<Run, 'job' | 'rowLimit'> & { jobFingerprint: string | null },
      { startedAt: number | null }
    >(`
      select min(started_at) as startedAt from run
      where job = :job and state <> 'finished'
        and (:jobFingerprint is null or job_fingerprint = :jobFingerprint) and id > coalesce(
        (select max(id) from run
         where job = :job and state = 'finished'
           and (:jobFingerprint is null or job_fingerprint = :jobFingerprint)
           and (row_limit is null or :rowLimit is not null)), 0)`),
    list: db.prepare<{ job: string | null }, RunRow>(
      `select * from run where :job is null or job = :job order by id desc`,
    ),
    ofJob: db.prepare<{ job: string }, object>(`select id from run where job = :job limit 1`),
    ofList: db.prepare<{ job: string; list: string }, object>(
      `select id from run where job = :job and list = :list limit 1`,
    ),
  };
}
