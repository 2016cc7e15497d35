import type { RegisterSource } from '../../../core/names/row-register.ts';
import type { Breach } from '../../../core/rules/expectations.ts';
import { serviceOf } from '../../providers/providers.ts';
import type { Statements } from '../statements.ts';
import { runChangesIn } from './change-runs.ts';
import { jobsIn } from './jobs.ts';

/**
 * - `whole`: a run of all rows of its list.
 * - `trial`: a run of the first rows (`--limit`). It never replaces a result.
 * - `lookup`: the one row of `dossier lookup`. Its job is the name of its lock.
 *
 * Commands that care for a ledger (prune, forget) take a lock, but no run.
 */
export type RunKind = 'whole' | 'trial' | 'lookup';

export interface NewRun {
  readonly job: string;
  readonly kind: RunKind;
  readonly jobFingerprint: string;
  /** If equal, two runs derive the same outcomes from the same answers. */
  readonly outcomeSettingsHash: string;
  /** Null for a pipe, which cannot be read again. */
  readonly inputStamp: string | null;
  readonly inputName: string;
  /** Absolute path, or `-` for standard input. */
  readonly inputPath: string;
  /** The job's own list; `--input` may replace it for one run. */
  readonly list: string;
  readonly listId: number;
  /** Null unless the run is a trial. */
  readonly rowLimit: number | null;
  /** See `serviceIdentity`. In the order in which they are asked. */
  readonly services: readonly string[];
  readonly columns: readonly string[];
  readonly hasPeople: boolean;
  readonly startedAt: number;
}

export interface Run extends NewRun {
  readonly id: number;
  readonly isSample: boolean;
  readonly inputSha256: string | null;
  /** Null if a hash identifies each row, empty if the list had no rows. */
  readonly keyColumns: readonly string[] | null;
  readonly corrections: { readonly applied: number } | null;
  /** Null if the run used no register of names. */
  readonly registerSources: readonly RegisterSource[] | null;
  readonly state: 'ingesting' | 'open' | 'finished' | 'superseded';
  readonly lastStartedAt: number;
  readonly finishedAt: number | null;
  /** Null if the result is published or the run has not finished. */
  readonly held: readonly Breach[] | null;
  readonly acceptedAt: number | null;
  readonly prunedAt: number | null;
  readonly owner: string | null;
  /** The newest answer of the ledger when the run finished. */
  readonly lastAnswerId: number | null;
}

export interface ReadList extends Pick<Run, 'columns' | 'keyColumns'> {
  readonly inputSha256: string;
  readonly corrections?: Run['corrections'];
  readonly registerSources?: Run['registerSources'];
}

export function runName({ id }: Pick<Run, 'id'>): string {
  return `r${id}`;
}

/** Its result is published or held. */
export function isFinishedWhole({ state, kind }: Run): boolean {
  return state === 'finished' && kind !== 'trial';
}

/** The newest of these is the result of its job, and the next one is compared with it. */
export function isPublished(run: Run): boolean {
  return isFinishedWhole(run) && run.held === null;
}

const finishedWhole = `run.state = 'finished' and run.kind <> 'trial'`;
/** `isPublished` in SQL. */
export const publishedRun = `${finishedWhole} and run.held is null`;

/** The newest run, but a trial only if no run has read the whole list. */
export function preferWhole(runs: readonly Run[]): Run | undefined {
  return runs.find(({ kind }) => kind !== 'trial') ?? runs[0];
}

export function runsIn(statements: Statements) {
  const { get, all, value } = statements;
  const select = `
    select id, job, kind, job_fingerprint as jobFingerprint, verdict_terms as outcomeSettingsHash,
      input_stamp as inputStamp, input_name as inputName, input_path as inputPath,
      input_sha256 as inputSha256, list, list_id as listId, row_limit as rowLimit, service,
      coalesce(services, json_array(service)) as services, columns,
      key_columns as keyColumns, corrections, register_sources as registerSources, has_people as hasPeople, state,
      started_at as startedAt, last_started_at as lastStartedAt, finished_at as finishedAt, held,
      accepted_at as acceptedAt, pruned_at as prunedAt, owner, last_answer_id as lastAnswerId
    from run`;
  const published = all<RunRow>(`
    ${select}
    where job = ? and id < ? and ${publishedRun} order by id desc`);
  const byId = get<RunRow>(`${select} where id = ?`);
  const newestWith = (condition: string) => {
    const newest = get<RunRow>(`${select} where job = ? and ${condition} order by id desc limit 1`);
    return (job: string) => one(newest(job));
  };
  const newestFinished = newestWith(finishedWhole);
  const newestKeyed = get<RunRow>(`
    ${select}
    where job = ? and state <> 'ingesting' and kind <> 'trial' and key_columns is not '[]'
    order by input_path = ? desc, id desc limit 1`);
  const isSame = `(:jobFingerprint is null or job_fingerprint = :jobFingerprint)`;
  const unfinishedSince = value<number | null>(`
    select min(started_at) from run
    where job = :job and state <> 'finished' and ${isSame} and id > coalesce(
      (select max(id) from run
       where job = :job and state = 'finished' and ${isSame}
         and (kind <> 'trial' or :kind = 'trial')), 0)`);
  const list = all<RunRow>(`${select} where :job is null or job = :job order by id desc`);
  const one = (row: RunRow | undefined) => row && asRun(row);
  const getRun = (runId: number) => one(byId(runId));
  return {
    ...runChangesIn(statements, getRun),
    ...jobsIn(statements),
    /** Runs of 0.9.0 know only the time at which they finished. */
    answerBefore: value<number | undefined, [time: number]>(
      `select id from answer where fetched_at <= ? order by id desc limit 1`,
    ),
    /** The result of the job. */
    newestPublished: newestWith(`${publishedRun} and pruned_at is null`),
    /** Its result is published or held. */
    newestFinished,
    /** The result to accept. A later finished run prevents accepting an older one. */
    newestHeld(job: string) {
      const run = newestFinished(job);
      return run?.held ? run : undefined;
    },
    /** Published runs before `later`, newest first, including pruned ones. */
    comparable: (later: Run) => comparableWith(later, published(later.job, later.id).map(asRun)),
    ownerOf: value<string | null | undefined, [runId: number]>(
      `select owner from run where id = ?`,
    ),
    get: getRun,
    newest: newestWith(`state <> 'ingesting'`),
    /** The last reading of the whole list. */
    newestWhole: newestWith(`state <> 'ingesting' and kind <> 'trial'`),
    newestKeyed: (job: string, inputPath: string) => one(newestKeyed(job, inputPath)),
    /**
     * Start of the oldest unfinished run since the last finished one. For a whole run, finished
     * trials are ignored. With `jobFingerprint`, all runs with another fingerprint are ignored,
     * because they belong to another refresh.
     */
    unfinishedSince: ({ job, kind }: Run, jobFingerprint: string | null = null) =>
      unfinishedSince({ job, kind, jobFingerprint }) ?? undefined,
    list: (job: string | null = null) => list({ job }).map(asRun),
    /** Runs whose rows can be read, newest first. */
    stored: (job: string) =>
      list({ job })
        .map(asRun)
        .filter(({ state, prunedAt }) => state !== 'ingesting' && prunedAt === null),
  };
}

type JsonColumn =
  | 'services'
  | 'columns'
  | 'keyColumns'
  | 'corrections'
  | 'registerSources'
  | 'held';

type RunRow = Omit<Run, JsonColumn | 'hasPeople' | 'isSample'> & {
  readonly service: string;
} & Record<JsonColumn, string | null> & { readonly hasPeople: 0 | 1 };

function asRun({
  service,
  services,
  columns,
  keyColumns,
  corrections,
  registerSources,
  hasPeople,
  held,
  ...run
}: RunRow): Run {
  const parse = (text: string | null) => JSON.parse(text ?? 'null');
  return {
    ...run,
    services: parse(services),
    columns: parse(columns),
    keyColumns: parse(keyColumns),
    corrections: parse(corrections),
    registerSources: parse(registerSources),
    hasPeople: hasPeople === 1,
    isSample: serviceOf(service).provider === 'sample-data',
    held: parse(held),
  };
}

/** Prefers runs of the same file. Falls back to all, because a file name may contain a date. */
export function comparableWith({ id, inputPath }: Run, published: readonly Run[]): Run[] {
  const earlier = published.filter((run) => run.id < id);
  const ofSameList = earlier.filter((run) => run.inputPath === inputPath);
  return ofSameList.length > 0 ? ofSameList : earlier;
}
