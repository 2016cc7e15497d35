import type { Breach } from '../../../core/rules/expectations.ts';
import type { CorrectionCounts } from '../../../core/rules/outcomes.ts';
import type { Statements } from '../statements.ts';

/** A run that begins. */
export interface NewRun {
  readonly job: string;
  readonly jobFingerprint: string;
  /** Equal for runs in which the same rows and answers come to the same outcomes. */
  readonly verdictTerms: string;
  readonly inputStamp: string | null;
  readonly inputName: string;
  /** Absolute path of the list that it has read, or `-`. */
  readonly inputPath: string;
  /** Absolute path of the list that the job is for, or `-`; `--input` may have given another. */
  readonly list: string;
  /** The version of the list that it has read. */
  readonly listId: number;
  /** Rows that it reads at most; null for the whole list. */
  readonly rowLimit: number | null;
  /** Address of the service, or `embedded` for sample data. */
  readonly service: string;
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  readonly startedAt: number;
}

export interface Run extends NewRun {
  readonly id: number;
  readonly inputSha256: string | null;
  /** The columns that make the row keys; null where hashes do, empty where there was no row to tell by. */
  readonly keyColumns: readonly string[] | null;
  /** How the corrections of the job fared with the list; null without any. */
  readonly corrections: CorrectionCounts | null;
  readonly state: 'ingesting' | 'open' | 'finished' | 'superseded';
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

export function runsIn({ db, run, get, all, value, values }: Statements) {
  type OfJob = { job: string };
  const select = `
    select id, job, job_fingerprint as jobFingerprint, verdict_terms as verdictTerms,
      input_stamp as inputStamp, input_name as inputName, input_path as inputPath,
      input_sha256 as inputSha256, list, list_id as listId, row_limit as rowLimit, service, columns,
      key_columns as keyColumns, corrections, has_people as hasPeople, state,
      started_at as startedAt, last_started_at as lastStartedAt, finished_at as finishedAt, held,
      accepted_at as acceptedAt, pruned_at as prunedAt, owner
    from run`;
  const insert = run(`
    insert into run (
      job, job_fingerprint, verdict_terms, input_stamp, input_name, input_path, list, list_id, row_limit, service, columns, has_people, state,
      started_at, last_started_at)
    values (
      :job, :jobFingerprint, :verdictTerms, :inputStamp, :inputName, :inputPath, :list, :listId, :rowLimit, :service, :columns, :hasPeople,
      'ingesting', :startedAt, :startedAt)`);
  const supersede = run(`update run set state = 'superseded' where job = ? and state = 'open'`);
  const completeIngest = run(`
    update run
    set state = 'open', columns = :columns, key_columns = :keyColumns,
      corrections = :corrections, input_sha256 = :inputSha256, list_id = :listId
    where id = :id`);
  const resume = run(`
    update run set last_started_at = :startedAt, input_stamp = coalesce(:inputStamp, input_stamp)
    where id = :id`);
  const finish = run(`update run set state = 'finished', finished_at = ?, held = ? where id = ?`);
  const published = all<RunRow>(`
    ${select}
    where job = ? and id < ? and state = 'finished' and held is null and row_limit is null
    order by id desc`);
  const unfinishedIngests = values<number>(
    `select id from run where job = ? and state = 'ingesting'`,
  );
  const byId = get<RunRow>(`${select} where id = ?`);
  const newest = get<RunRow>(
    `${select} where job = ? and state <> 'ingesting' order by id desc limit 1`,
  );
  const newestKeyed = get<RunRow>(`
    ${select}
    where job = ? and state <> 'ingesting' and row_limit is null and key_columns is not '[]'
    order by input_path = ? desc, id desc limit 1`);
  const isSame = `(:jobFingerprint is null or job_fingerprint = :jobFingerprint)`;
  const unfinishedSince = value<number | null>(`
    select min(started_at) from run
    where job = :job and state <> 'finished' and ${isSame} and id > coalesce(
      (select max(id) from run
       where job = :job and state = 'finished' and ${isSame}
         and (row_limit is null or :rowLimit is not null)), 0)`);
  const list = all<RunRow>(`${select} where :job is null or job = :job order by id desc`);
  const lists = values<string>(`select distinct list from run where job = ?`);
  const one = (row: RunRow | undefined) => row && asRun(row);
  const found = (runId: number) => one(byId(runId));
  return {
    start(begun: NewRun) {
      const columns = JSON.stringify(begun.columns);
      const { lastInsertRowid } = insert({ ...begun, columns, hasPeople: Number(begun.hasPeople) });
      return found(Number(lastInsertRowid)) as Run;
    },
    /** The whole list is read: the run can be resumed, and unfinished runs of the job are superseded. */
    completeIngest(
      { id, job }: OfJob & { id: number },
      read: ReadList & { readonly listId: number },
    ) {
      const { columns, keyColumns, corrections = null, inputSha256, listId } = read;
      supersede(job);
      completeIngest({
        id,
        columns: JSON.stringify(columns),
        keyColumns: keyColumns && JSON.stringify(keyColumns),
        corrections: corrections && JSON.stringify(corrections),
        inputSha256,
        listId,
      });
    },
    /** A run is taken up again. Its list may have been found under another stamp. */
    resume({ id }: Run, facts: { startedAt: number; inputStamp: string | null }) {
      resume({ id, ...facts });
      return found(id) as Run;
    },
    /** A run that did not meet its expectations is held: it has finished, and is not published. */
    finish(runId: number, finishedAt: number, held: Run['held'] = null) {
      finish(finishedAt, held && JSON.stringify(held), runId);
    },
    /** The result of a held run is taken as it is. */
    publish: run<[{ runId: number; acceptedAt: number }]>(
      `update run set held = null, accepted_at = :acceptedAt where id = :runId`,
    ),
    /**
     * The published runs before this one that it is compared with, newest first, those that are pruned
     * included. The first is its base.
     */
    comparable: (later: ListedRun & OfJob) =>
      comparableWith(later, published(later.job, later.id).map(asRun)),
    /** Gives a run to the process with this token. */
    take: run<[owner: string, runId: number]>(`update run set owner = ? where id = ?`),
    /** Takes all unfinished runs of a job from the processes that had them. */
    disown: run<[job: string]>(`
      update run set owner = null
      where job = ? and owner is not null and (state = 'ingesting' or state = 'open')`),
    /** Undefined where the run is gone. */
    ownerOf: value<string | null | undefined, [runId: number]>(
      `select owner from run where id = ?`,
    ),
    /** Removes runs of processes that died while they read their list. */
    dropUnfinishedIngests(job: string) {
      for (const runId of unfinishedIngests(job)) {
        for (const which of ingested) db.prepare(`delete from ${which}`).run({ runId });
      }
    },
    get: found,
    newest: (job: string) => one(newest(job)),
    /**
     * The newest run over the whole of a list that had rows, or over that of another list where there is
     * none: what made its keys makes them in the next.
     */
    newestKeyed: (job: string, inputPath: string) => one(newestKeyed(job, inputPath)),
    /**
     * Start of the oldest unfinished run since the last finished one. A `--limit` run only supersedes other
     * `--limit` runs. With a fingerprint, only runs that asked for the same count, finished or not: a refresh
     * goes on after a night without one.
     */
    unfinishedSince: (
      { job, rowLimit }: OfJob & { rowLimit: number | null },
      jobFingerprint: string | null = null,
    ) => unfinishedSince({ job, rowLimit, jobFingerprint }) ?? undefined,
    /** Newest first. */
    list: (job: string | null = null) => list({ job }).map(asRun),
    /** Whether a job of this name has run, and whether it has for this list. */
    knows(job: string, path: string) {
      const known = lists(job);
      return { job: known.length > 0, list: known.includes(path) };
    },
  };
}

/** What a run leaves whose list was not read to its end. Rows stay: the list will most likely be read again. */
const ingested = [
  `list_block where list_id = (select list_id from run where id = :runId)`,
  `list where id = (select list_id from run where id = :runId)`,
  ...['outcome', 'waiting', 'search', 'progress'].map((table) => `${table} where run_id = :runId`),
  `run where id = :runId`,
];

type JsonColumn = 'columns' | 'keyColumns' | 'corrections' | 'held';

/** A run as its table holds it. */
type RunRow = Omit<Run, JsonColumn | 'hasPeople'> &
  Record<JsonColumn, string | null> & { readonly hasPeople: 0 | 1 };

function asRun({ columns, keyColumns, corrections, hasPeople, held, ...run }: RunRow): Run {
  const parse = (text: string | null) => JSON.parse(text ?? 'null');
  return {
    ...run,
    columns: parse(columns),
    keyColumns: parse(keyColumns),
    corrections: parse(corrections),
    hasPeople: hasPeople === 1,
    held: parse(held),
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
 * the same list. A run over another list, say the fixed rejects, says nothing about the rows that it
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
