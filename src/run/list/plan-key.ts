import type { RowPlan } from '../../identify/identify-row.ts';
import type { InputRow } from '../../input/input-row.ts';
import { detectKey } from '../../job/from-list/detect-key.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findColumn, requireColumn } from './plan-columns.ts';
import type { SeenKeys } from './row-keys.ts';

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
  job: ResolvedJob,
  columns: readonly string[],
  rows: readonly InputRow[],
  plan: RowPlan,
  last: KeyOfLastRun,
): KeyPlan {
  const planOf = (names: readonly string[], foundBy: KeyPlan['foundBy']) => ({
    columns: names,
    indexes: names.map((name) => findColumn(job, name, columns)),
    foundBy,
  });
  const { key } = job.input;
  if (key) return planOf(key, 'job');
  // A list without rows may lack a column that the next one has again.
  if (rows.length === 0) return planOf([], 'last run');
  const vanished = last?.filter((name) => !columns.includes(name));
  if (last && vanished?.length === 0) return planOf(last, 'last run');
  // A row that could not be read whole says nothing about its columns.
  const readable = rows.filter(({ problem }) => problem === undefined);
  const detected = detectKey(
    columns,
    readable.map(({ cells }) => cells),
    [...plan.identify.map(({ index }) => index), plan.country.index ?? -1],
  );
  if (last === null) {
    // A rejects file has the keys of its list, and its rows are those of the job all the same.
    const unused = detected === 'row_key' ? undefined : detected;
    return { ...planOf([], 'last run'), unused };
  }
  const found = planOf(detected === undefined ? [] : [detected], 'detection');
  return vanished ? { ...found, vanished } : found;
}

/** Refuses a key of the job that the list does not have, when all of its columns are known. */
export function requireKey(job: ResolvedJob, columns: readonly string[]): void {
  for (const column of job.input.key ?? []) requireColumn(job, column, columns);
}

const hash = 'a hash of their identifiers';
const longestKey = 60;

/** Says what tells rows apart where that is a guess, has changed or does not tell all of them apart. */
export function keyNotes(plan: KeyPlan, last: KeyOfLastRun, seen: SeenKeys): string[] {
  const { columns } = plan;
  const { rows: blank, first: firstBlank } = seen.withoutKey;
  const { repeatedCells: cells, repeatedIdentities: identities } = seen;
  const notes = sourceNotes(plan, last);
  if (columns.length > 0 && blank > 0) {
    const missing = columns.map((column) => JSON.stringify(column)).join(' or ');
    notes.push(
      blank === 1
        ? `Row ${firstBlank} has no ${missing}: its row_key is a hash of its identifiers.`
        : `${blank.toLocaleString('en')} rows, the first of them row ${firstBlank}, have no ${missing}: their row_key is ${hash}.`,
    );
  }
  if (cells.first) {
    const { key, numbers } = cells.first;
    const which =
      columns.length === 1 ? `column ${named(columns)} is` : `columns ${named(columns)} are`;
    const shown = key.length <= longestKey ? key : `${key.slice(0, longestKey - 1)}…`;
    notes.push(
      `Key ${which} not unique: rows ${numbers.join(' and ')} both hold ${JSON.stringify(shown)}; ${numberedRows(cells.rows)}.`,
    );
  }
  if (identities.first) {
    notes.push(
      `Rows ${identities.first.numbers.join(' and ')} have the same identifiers: ${numberedRows(identities.rows)}. input.key names a column that tells rows apart.`,
    );
  }
  return notes;
}

function sourceNotes({ columns, foundBy, vanished, unused }: KeyPlan, last: KeyOfLastRun) {
  const source = columns.length === 0 ? hash : named(columns);
  if (vanished) {
    return [
      `The list no longer has ${named(vanished)}, by which its rows were told apart; ${source} does it now, so that each row counts as new. input.key names other columns.`,
    ];
  }
  if (foundBy === 'job') {
    const before = last === null ? hash : named(last ?? []);
    if (before === '' || before === source) return [];
    return [
      `Rows are told apart by ${source} now, and no longer by ${before}: each counts as new.`,
    ];
  }
  if (unused !== undefined) {
    return [
      `Rows are told apart by ${hash}, as before; \`input.key: ${unused}\` would take the column ${named([unused])}.`,
    ];
  }
  if (foundBy === 'last run' || columns.length === 0) return [];
  return [
    `Rows are told apart by their ${source} (row_key in the results); input.key names other columns.`,
  ];
}

function numberedRows(rows: number): string {
  if (rows === 1) return 'one row has #2 behind its row_key';
  return `${rows.toLocaleString('en')} rows have #2, #3 and so on behind their row_key`;
}

function named(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(' and ');
}
