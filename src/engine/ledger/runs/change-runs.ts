import type { Statements } from '../statements.ts';
import type { NewRun, ReadList, Run } from './runs.ts';

/** Call these inside a transaction. */
export function runChangesIn(
  { db, change, values }: Statements,
  getRun: (runId: number) => Run | undefined,
) {
  const insert = change(`
    insert into run (
      job, kind, job_fingerprint, verdict_terms, input_stamp, input_name, input_path, list, list_id, row_limit, service, services, columns, has_people, state,
      started_at, last_started_at)
    values (
      :job, :kind, :jobFingerprint, :outcomeSettingsHash, :inputStamp, :inputName, :inputPath, :list, :listId, :rowLimit, :service, :services, :columns, :hasPeople,
      'ingesting', :startedAt, :startedAt)`);
  const supersede = change(`update run set state = 'superseded' where job = ? and state = 'open'`);
  const completeIngest = change(`
    update run
    set state = 'open', columns = :columns, key_columns = :keyColumns,
      corrections = :corrections, register_sources = :registerSources, input_sha256 = :inputSha256, list_id = :listId
    where id = :id`);
  // A start that is later than now is wrong: the clock was ahead.
  const resume = change(
    `update run set last_started_at = :at, started_at = min(started_at, :at) where id = :id`,
  );
  const finish = change(`
    update run
    set state = 'finished', finished_at = ?, held = ?,
      last_answer_id = (select max(id) from answer)
    where id = ?`);
  const unfinishedIngests = values<number>(
    `select id from run where job = ? and state = 'ingesting'`,
  );
  return {
    start(begun: NewRun) {
      const columns = JSON.stringify(begun.columns);
      const { services } = begun;
      const { lastInsertRowid } = insert({
        ...begun,
        columns,
        service: services[0] ?? '',
        services: services.length === 1 ? null : JSON.stringify(services),
        hasPeople: Number(begun.hasPeople),
      });
      return getRun(Number(lastInsertRowid)) as Run;
    },
    completeIngest({ id, job }: Pick<Run, 'id' | 'job'>, read: ReadList & Pick<Run, 'listId'>) {
      const { columns, keyColumns, corrections = null, inputSha256, listId } = read;
      const { registerSources = null } = read;
      supersede(job);
      completeIngest({
        id,
        columns: JSON.stringify(columns),
        keyColumns: keyColumns && JSON.stringify(keyColumns),
        corrections: corrections && JSON.stringify(corrections),
        registerSources: registerSources && JSON.stringify(registerSources),
        inputSha256,
        listId,
      });
    },
    resume({ id }: Run, at: number) {
      resume({ id, at });
      return getRun(id) as Run;
    },
    finish(runId: number, finishedAt: number, held: Run['held'] = null) {
      finish(finishedAt, held && JSON.stringify(held), runId);
    },
    publish: change<[{ runId: number; acceptedAt: number }]>(
      `update run set held = null, accepted_at = :acceptedAt where id = :runId`,
    ),
    take: change<[owner: string, runId: number]>(`update run set owner = ? where id = ?`),
    disown: change<[job: string]>(`
      update run set owner = null
      where job = ? and owner is not null and (state = 'ingesting' or state = 'open')`),
    dropUnfinishedIngests(job: string) {
      for (const runId of unfinishedIngests(job)) {
        for (const which of ingested) db.prepare(`delete from ${which}`).run({ runId });
      }
    },
  };
}

/** Rows stay, because the list will probably be read again. */
const ingested = [
  `found where search_id in (select id from search where run_id = :runId)`,
  `list_block where list_id = (select list_id from run where id = :runId)`,
  `list where id = (select list_id from run where id = :runId)`,
  ...['outcome', 'waiting', 'completed_call', 'search', 'progress'].map(
    (table) => `${table} where run_id = :runId`,
  ),
  `run where id = :runId`,
];
