import type { Database } from 'better-sqlite3';
import type { Breach } from '../../rules/expectations.ts';
import type { CorrectionCounts } from '../../rules/outcomes.ts';
import { formatDuration } from '../../runtime/duration.ts';
import { comparableWith } from './comparable-runs.ts';
import { prepareRunStatements, type RunRow } from './run-statements.ts';

export type RunState = 'ingesting' | 'open' | 'finished' | 'superseded';

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

export type NewRun = Pick<
  Run,
  | 'job'
  | 'jobFingerprint'
  | 'verdictTerms'
  | 'inputStamp'
  | 'inputName'
  | 'inputPath'
  | 'list'
  | 'listId'
  | 'rowLimit'
  | 'service'
  | 'columns'
  | 'hasPeople'
  | 'startedAt'
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

export interface Runs {
  start(run: NewRun): Run;
  /** The whole list is read: the run can be resumed, and unfinished runs of the job are superseded. */
  completeIngest(run: Pick<Run, 'id' | 'job'>, facts: ReadList & Pick<Run, 'listId'>): void;
  /** A run is taken up again. Its list may have been found under another stamp. */
  resume(run: Run, facts: { startedAt: number; inputStamp: string | null }): Run;
  /** A run that did not meet its expectations is held: it has finished, and is not published. */
  finish(runId: number, finishedAt: number, held?: Run['held']): void;
  /** The result of a held run is taken as it is. */
  publish(runId: number, acceptedAt: number): void;
  /**
   * The published runs before this one that it is compared with, newest first, those that are pruned
   * included. The first is its base.
   */
  comparable(run: Pick<Run, 'id' | 'job' | 'inputPath'>): Run[];
  /** Gives a run to the process with this token. */
  take(runId: number, owner: string): void;
  /** Takes all unfinished runs of a job from the processes that had them. */
  disown(job: string): void;
  /** Undefined where the run is gone. */
  ownerOf(runId: number): string | null | undefined;
  /** Removes runs of processes that died while they read their list. */
  dropUnfinishedIngests(job: string): void;
  get(runId: number): Run | undefined;
  newest(job: string): Run | undefined;
  /**
   * The newest run over the whole of a list that had rows, or over that of another list where there is
   * none: what made its keys makes them in the next.
   */
  newestKeyed(run: Pick<Run, 'job' | 'inputPath'>): Run | undefined;
  /**
   * When the oldest of the unfinished runs began that came after the last finished one. A try of the first
   * rows ends nothing but tries: the whole list is still asked for. With a fingerprint, only runs that asked for
   * the same count, finished or not: a refresh goes on after a night without one.
   */
  unfinishedSince(
    run: Pick<Run, 'job' | 'rowLimit'>,
    jobFingerprint?: string | null,
  ): number | undefined;
  /** Newest first. */
  list(job?: string): Run[];
  /** Whether a job of this name has run, and whether it has for this list. */
  knows(job: string, list: string): { readonly job: boolean; readonly list: boolean };
}

export function runsIn(db: Database): Runs {
  const statements = prepareRunStatements(db);
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
    completeIngest({ id, job }, { columns, keyColumns, corrections = null, inputSha256, listId }) {
      statements.supersede.run({ job });
      const facts = {
        columns: JSON.stringify(columns),
        keyColumns: keyColumns && JSON.stringify(keyColumns),
        corrections: corrections && JSON.stringify(corrections),
        inputSha256,
        listId,
      };
      statements.completeIngest.run({ runId: id, ...facts });
    },
    resume({ id }, { startedAt, inputStamp }) {
      statements.resume.run({ runId: id, startedAt, inputStamp });
      return get(id) as Run;
    },
    finish(runId, finishedAt, held = null) {
      statements.finish.run({ runId, finishedAt, held: held && JSON.stringify(held) });
    },
    publish: (runId, acceptedAt) => void statements.publish.run({ runId, acceptedAt }),
    comparable(run) {
      const published = statements.published.all({ job: run.job, before: run.id }).map(asRun);
      return comparableWith(
        run,
        published.filter((earlier) => earlier !== undefined),
      );
    },
    take: (runId, owner) => void statements.take.run({ runId, owner }),
    disown: (job) => void statements.disown.run({ job }),
    ownerOf: (runId) => statements.ownerOf.get({ runId })?.owner,
    dropUnfinishedIngests(job) {
      for (const { id } of statements.unfinishedIngests.all({ job })) {
        for (const drop of statements.drop) drop.run({ runId: id });
      }
    },
    get,
    newest: (job) => asRun(statements.newest.get({ job })),
    newestKeyed: ({ job, inputPath }) => asRun(statements.newestKeyed.get({ job, inputPath })),
    unfinishedSince: ({ job, rowLimit }, jobFingerprint = null) =>
      statements.unfinishedSince.get({ job, rowLimit, jobFingerprint })?.startedAt ?? undefined,
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

function asRun(row: RunRow | undefined): Run | undefined {
  if (!row) return undefined;
  return {
    id: row.id,
    job: row.job,
    jobFingerprint: row.job_fingerprint,
    verdictTerms: row.verdict_terms,
    inputStamp: row.input_stamp,
    inputName: row.input_name,
    inputPath: row.input_path,
    inputSha256: row.input_sha256,
    list: row.list,
    listId: row.list_id,
    rowLimit: row.row_limit,
    service: row.service,
    columns: JSON.parse(row.columns) as string[],
    keyColumns: row.key_columns === null ? null : (JSON.parse(row.key_columns) as string[]),
    corrections:
      row.corrections === null ? null : (JSON.parse(row.corrections) as Run['corrections']),
    hasPeople: row.has_people === 1,
    state: row.state,
    startedAt: row.started_at,
    lastStartedAt: row.last_started_at,
    finishedAt: row.finished_at,
    held: row.held === null ? null : (JSON.parse(row.held) as Breach[]),
    acceptedAt: row.accepted_at,
    prunedAt: row.pruned_at,
    owner: row.owner,
  };
}
