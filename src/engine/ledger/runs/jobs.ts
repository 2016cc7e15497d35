import { isAbsolute } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Statements } from '../statements.ts';

/** Also of an older ledger, which has no such table. */
export function jobFilesIn(db: Database) {
  const isOlder =
    db.prepare(`select 1 from sqlite_master where name = 'job_file'`).get() === undefined;
  const files = isOlder
    ? []
    : db.prepare<[], [string, string]>(`select job, path from job_file`).raw().all();
  const byJob = new Map(files);
  const listsAlone = isOlder
    ? []
    : db
        .prepare<[], string>(
          `select distinct list from run where job not in (select job from job_file)`,
        )
        .pluck()
        .all();
  return {
    fileOf: (job: string) => byJob.get(job),
    /** The files of all jobs or, without one, their lists. */
    paths: () => [...byJob.values(), ...listsAlone.filter(isAbsolute)],
  };
}

export function jobsIn({ change, values }: Statements) {
  const lists = values<string>(`select distinct list from run where job = ?`);
  return {
    putJobFile: change<[job: string, path: string]>(
      `insert into job_file (job, path) values (?, ?)
      on conflict (job) do update set path = excluded.path where path <> excluded.path`,
    ),
    jobFiles: values<string, []>(`select path from job_file order by path`),
    /** The job of a lookup is only a lock. */
    jobs: values<string, []>(`select distinct job from run where kind <> 'lookup' order by job`),
    services: values<string, []>(`select distinct service from run`),
    knows(job: string, path: string) {
      const known = lists(job);
      return { job: known.length > 0, list: known.includes(path), lists: known };
    },
  };
}
