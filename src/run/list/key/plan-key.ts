import type { RowPlan } from '../../../identify/identify-row.ts';
import type { InputRow } from '../../../input/input-row.ts';
import { detectKey } from '../../../job/from-list/detect-key.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { findColumn, requireColumn } from '../plan-columns.ts';

/**
 * The columns that made the keys in the last run of the job; null where hashes did, undefined where no run
 * could tell yet.
 */
export type KeyOfLastRun = readonly string[] | null | undefined;

/** What tells the rows of a list apart. */
export interface KeyPlan {
  /** Empty where a hash of what identifies a row is its key. */
  readonly columns: readonly string[];
  /** Where the columns stand; -1 for one that no row of JSON lines had so far. */
  readonly indexes: readonly number[];
  readonly foundBy: 'job' | 'last run' | 'detection';
  /** Columns that made the keys in the last run, and that the list has no longer. */
  readonly vanished?: readonly string[];
  /** A column that looks like a key, in a job whose rows have hashes. */
  readonly unused?: string | undefined;
}

/** Keys stay what they were in the last run, so that the rows of one night are found in the next. */
export function planKey(
  job: Pick<ResolvedJob, 'input' | 'placeOfColumn'>,
  columns: readonly string[],
  rows: readonly InputRow[],
  plan: RowPlan,
  last: KeyOfLastRun,
): KeyPlan {
  const places = (names: readonly string[]) => names.map((name) => findColumn(job, name, columns));
  const { key } = job.input;
  if (key) return { columns: key, indexes: places(key), foundBy: 'job' };
  // A list without rows may lack a column that the next one has again.
  if (rows.length === 0) return { columns: [], indexes: [], foundBy: 'last run' };
  const isThere = last?.every((column) => columns.includes(column));
  if (last && isThere) return { columns: last, indexes: places(last), foundBy: 'last run' };
  const detected = detect(columns, rows, plan);
  if (last === null) {
    // A rejects file has the keys of its list, and its rows are those of the job all the same.
    const unused = detected === 'row_key' ? undefined : detected;
    return { columns: [], indexes: [], foundBy: 'last run', unused };
  }
  const found = detected === undefined ? [] : [detected];
  const planned = { columns: found, indexes: places(found), foundBy: 'detection' } as const;
  return last ? { ...planned, vanished: last.filter((name) => !columns.includes(name)) } : planned;
}

/** Refuses a key of the job that the list does not have, when all of its columns are known. */
export function requireKey(
  job: Pick<ResolvedJob, 'input' | 'placeOfColumn'>,
  columns: readonly string[],
): void {
  for (const column of job.input.key ?? []) requireColumn(job, column, columns);
}

/** A row that could not be read whole says nothing about its columns. */
function detect(
  columns: readonly string[],
  rows: readonly InputRow[],
  { identify, country }: RowPlan,
): string | undefined {
  const used = [...identify.map(({ index }) => index), country.index ?? -1];
  const readable = rows.filter(({ problem }) => problem === undefined);
  return detectKey(
    columns,
    readable.map(({ cells }) => cells),
    used,
  );
}
