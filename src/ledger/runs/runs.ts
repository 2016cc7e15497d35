import type { Database } from 'better-sqlite3';
import type { Breach } from '../../rules/expectations.ts';
import type { CorrectionCounts } from '../../rules/outcomes.ts';
import { formatDuration } from '../../runtime/duration.ts';

type RunState = 'ingesting' | 'open' | 'finished' | 'superseded';

export interface Run {
  readonly id: number;
  readonly job: string;
  readonly jobFingerprint: string;
  /** Equal for runs in which the same rows and answers come to the same outcomes. */
  readonly verdictTerms: string;
  readonly inputStamp: string | null;
  readonly inputName: string;
  /** Absolute path of the list that it has read, or `-`. */
  readonly inputPath: string;
  readonly inputSha256: string | null;
  /** Absolute path of the list that the job is for, or `-`; `--input` may have given another. */
  readonly list: string;
  /** The version of the list that it has read. */
  readonly listId: number;
  /** Rows that it reads at most; null for the whole list. */
  readonly rowLimit: number | null;
  /** Address of the service, or `embedded` for sample data. */
  readonly service: string;
  readonly columns: readonly string[];
  /** The columns that make the row keys; null where hashes do, empty where there was no row to tell by. */
  readonly keyColumns: readonly string[] | null;
  /** How the corrections of the job fared with the list; null without any. */
  readonly corrections: CorrectionCounts | null;
  readonly hasPeople: boolean;
  readonly state: RunState;
  readonly startedAt: number;
  /** When it was begun or taken up last. */
  readonly lastStartedAt: number;
  readonly finishedAt: number | null;
  /** The expectations that its result did not meet; null where it is published, or not finished. */
  readonly held: readonly Breach[] | null;
  /** When its result was accepted, though it was held. */
  readonly acceptedAt: number | null;
  /** When its rows were removed from the ledger: it cannot be exported any more. */
  readonly prunedAt: number | null;
  /** Token of the process that has taken the run; null while none has. */
  readonly owner: string | null;
}

/** A run that begins. */
export type NewRun = Omit<
  Run,
  | 'id'
  | 'state'
  | 'inputSha256'
  | 'keyColumns'
  | 'corrections'
  | 'lastStartedAt'
  | 'finishedAt'
  | 'held'
  | 'acceptedAt'
  | 'prunedAt'
  | 'owner'
>;

/** What is known of a list that has been read to its end. */
export interface ReadList extends Pick<Run, 'columns' | 'keyColumns'> {
  readonly inputSha256: string;
  readonly corrections?: Run['corrections'];
}

/** What people and paths call a run: `r7`. */
export function runName({ id }: Pick<Run, 'id'>): string {
  return `r${id}`;
}

/** Whether the files of a run are the result of its job: it is complete, of the whole list and not held. */
export function isPublished({
  state,
  rowLimit,
  held,
}: Pick<Run, 'state' | 'rowLimit' | 'held'>): boolean {
  return state === 'finished' && rowLimit === null && held === null;
}

/**
 * The run that has overtaken a held one, so that it can no longer be accepted: the newest of the whole list that
 * has finished, where it came later.
 */
export function overtakerOf<Other extends Pick<Run, 'id' | 'state' | 'rowLimit'>>(
  { id, held }: Pick<Run, 'id' | 'held'>,
  runs: readonly Other[],
): Other | undefined {
  const newest = runs.find(({ state, rowLimit }) => state === 'finished' && rowLimit === null);
  return held && newest && newest.id > id ? newest : undefined;
}

/**
 * The time that a run took, for people: from its first start to its end, the time between its executions
 * included. The clock of the machine may have been set back in the meantime.
 */
export function timeTaken({ startedAt }: Pick<Run, 'startedAt'>, endedAt: number): string {
  return formatDuration(Math.max(0, endedAt - startedAt));
}

export function runsIn(db: Database) {
  type OfRun = { runId: number };
  type OfJob = { job: string };
  const select = `
    select id, job, job_fingerprint as jobFingerprint, verdict_terms as verdictTerms,
      input_stamp as inputStamp, input_name as inputName, input_path as inputPath,
      input_sha256 as inputSha256, list, list_id as listId, row_limit as rowLimit, service, columns,
      key_columns as keyColumns, corrections, has_people as hasPeople, state,
      started_at as startedAt, last_started_at as lastStartedAt, finished_at as finishedAt, held,
      accepted_at as acceptedAt, pruned_at as prunedAt, owner
    from run`;
  const insert = db.prepare(`
    insert into run (
      job, job_fingerprint, verdict_terms, input_stamp, input_name, input_path, list, list_id, row_limit, service, columns, has_people, state,
      started_at, last_started_at)
    values (
      :job, :jobFingerprint, :verdictTerms, :inputStamp, :inputName, :inputPath, :list, :listId, :rowLimit, :service, :columns, :hasPeople,
      'ingesting', :startedAt, :startedAt)`);
  const completeIngest = db.prepare(`
    update run
    set state = 'open', columns = :columns, key_columns = :keyColumns,
      corrections = :corrections, input_sha256 = :inputSha256, list_id = :listId
    where id = :runId`);
  const resume = db.prepare(`
    update run set last_started_at = :startedAt, input_stamp = coalesce(:inputStamp, input_stamp)
    where id = :runId`);
  const finish = db.prepare(`
    update run set state = 'finished', finished_at = :finishedAt, held = :held
    where id = :runId`);
  const publish = db.prepare(
    `update run set held = null, accepted_at = :acceptedAt where id = :runId`,
  );
  const published = db.prepare<OfJob & { before: number }, RunRow>(`
    ${select}
    where job = :job and id < :before and state = 'finished' and held is null
      and row_limit is null
    order by id desc`);
  const take = db.prepare(`update run set owner = :owner where id = :runId`);
  const disown = db.prepare(`
    update run set owner = null
    where job = :job and owner is not null and (state = 'ingesting' or state = 'open')`);
  const ownerOf = db
    .prepare<OfRun, string | null>(`select owner from run where id = :runId`)
    .pluck();
  const supersede = db.prepare(
    `update run set state = 'superseded' where job = :job and state = 'open'`,
  );
  const unfinishedIngests = db
    .prepare<OfJob, number>(`select id from run where job = :job and state = 'ingesting'`)
    .pluck();
  // Rows stay: the list will most likely be read again.
  const drops = [
    `list_block where list_id = (select list_id from run where id = :runId)`,
    `list where id = (select list_id from run where id = :runId)`,
    ...['outcome', 'waiting', 'search', 'progress'].map(
      (table) => `${table} where run_id = :runId`,
    ),
    `run where id = :runId`,
  ].map((which) => db.prepare(`delete from ${which}`));
  const byId = db.prepare<OfRun, RunRow>(`${select} where id = :runId`);
  const newest = db.prepare<OfJob, RunRow>(
    `${select} where job = :job and state <> 'ingesting' order by id desc limit 1`,
  );
  const newestKeyed = db.prepare<OfJob & { inputPath: string }, RunRow>(`
    ${select}
    where job = :job and state <> 'ingesting' and row_limit is null and key_columns is not '[]'
    order by input_path = :inputPath desc, id desc limit 1`);
  const isSame = `(:jobFingerprint is null or job_fingerprint = :jobFingerprint)`;
  const unfinishedSince = db
    .prepare<object, number | null>(`
      select min(started_at) from run
      where job = :job and state <> 'finished' and ${isSame} and id > coalesce(
        (select max(id) from run
         where job = :job and state = 'finished' and ${isSame}
           and (row_limit is null or :rowLimit is not null)), 0)`)
    .pluck();
  const list = db.prepare<{ job: string | null }, RunRow>(
    `${select} where :job is null or job = :job order by id desc`,
  );
  const lists = db.prepare<OfJob, string>(`select distinct list from run where job = :job`).pluck();
  const one = (row: RunRow | undefined) => row && asRun(row);
  const get = (runId: number) => one(byId.get({ runId }));
  return {
    start(run: NewRun) {
      const { lastInsertRowid } = insert.run({
        ...run,
        columns: JSON.stringify(run.columns),
        hasPeople: run.hasPeople ? 1 : 0,
      });
      return get(Number(lastInsertRowid)) as Run;
    },
    /** The whole list is read: the run can be resumed, and unfinished runs of the job are superseded. */
    completeIngest(
      { id, job }: OfJob & { id: number },
      read: ReadList & { readonly listId: number },
    ) {
      const { columns, keyColumns, corrections = null, inputSha256, listId } = read;
      supersede.run({ job });
      completeIngest.run({
        runId: id,
        columns: JSON.stringify(columns),
        keyColumns: keyColumns && JSON.stringify(keyColumns),
        corrections: corrections && JSON.stringify(corrections),
        inputSha256,
        listId,
      });
    },
    /** A run is taken up again. Its list may have been found under another stamp. */
    resume({ id }: Run, facts: { startedAt: number; inputStamp: string | null }) {
      resume.run({ runId: id, ...facts });
      return get(id) as Run;
    },
    /** A run that did not meet its expectations is held: it has finished, and is not published. */
    finish(runId: number, finishedAt: number, held: Run['held'] = null) {
      finish.run({ runId, finishedAt, held: held && JSON.stringify(held) });
    },
    /** The result of a held run is taken as it is. */
    publish: (runId: number, acceptedAt: number) => void publish.run({ runId, acceptedAt }),
    /**
     * The published runs before this one that it is compared with, newest first, those that are pruned
     * included. The first is its base.
     */
    comparable: (run: ListedRun & OfJob) =>
      comparableWith(run, published.all({ job: run.job, before: run.id }).map(asRun)),
    /** Gives a run to the process with this token. */
    take: (runId: number, owner: string) => void take.run({ runId, owner }),
    /** Takes all unfinished runs of a job from the processes that had them. */
    disown: (job: string) => void disown.run({ job }),
    /** Undefined where the run is gone. */
    ownerOf: (runId: number) => ownerOf.get({ runId }),
    /** Removes runs of processes that died while they read their list. */
    dropUnfinishedIngests(job: string) {
      for (const runId of unfinishedIngests.all({ job })) {
        for (const drop of drops) drop.run({ runId });
      }
    },
    get,
    newest: (job: string) => one(newest.get({ job })),
    /**
     * The newest run over the whole of a list that had rows, or over that of another list where there is
     * none: what made its keys makes them in the next.
     */
    newestKeyed: (job: string, inputPath: string) => one(newestKeyed.get({ job, inputPath })),
    /**
     * Start of the oldest unfinished run since the last finished one. A `--limit` run only supersedes other
     * `--limit` runs. With a fingerprint, only runs that asked for the same count, finished or not: a refresh
     * goes on after a night without one.
     */
    unfinishedSince: (
      { job, rowLimit }: OfJob & { rowLimit: number | null },
      jobFingerprint: string | null = null,
    ) => unfinishedSince.get({ job, rowLimit, jobFingerprint }) ?? undefined,
    /** Newest first. */
    list: (job?: string) => list.all({ job: job ?? null }).map(asRun),
    /** Whether a job of this name has run, and whether it has for this list. */
    knows(job: string, path: string) {
      const known = lists.all({ job });
      return { job: known.length > 0, list: known.includes(path) };
    },
  };
}

/** A run as its table holds it. */
type RunRow = Omit<Run, 'columns' | 'keyColumns' | 'corrections' | 'hasPeople' | 'held'> & {
  readonly columns: string;
  readonly keyColumns: string | null;
  readonly corrections: string | null;
  readonly hasPeople: 0 | 1;
  readonly held: string | null;
};

function asRun({ columns, keyColumns, corrections, hasPeople, held, ...run }: RunRow): Run {
  return {
    ...run,
    columns: JSON.parse(columns),
    keyColumns: keyColumns && JSON.parse(keyColumns),
    corrections: corrections && JSON.parse(corrections),
    hasPeople: hasPeople === 1,
    held: held && JSON.parse(held),
  };
}

/** A published run, as far as it tells what it is compared with. */
export interface ListedRun {
  readonly id: number;
  /** Absolute path of the list that it has read, or `-`. */
  readonly inputPath: string;
}

/**
 * The runs that a run is compared with, of the published ones of its job, newest first: those that have read
 * the same list. A run over another list, say the mended rejects, says nothing about the rows that it
 * leaves out. Where no run has read the list, all of them: lists with a date in their names follow each other.
 */
export function comparableWith<Published extends ListedRun>(
  { id, inputPath }: ListedRun,
  published: readonly Published[],
): Published[] {
  const earlier = published.filter((run) => run.id < id);
  const ofSameList = earlier.filter((run) => run.inputPath === inputPath);
  return ofSameList.length > 0 ? ofSameList : earlier;
}
