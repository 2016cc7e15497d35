import { DossierError } from '../../errors.ts';
import type { RowPlan } from '../../identify/identify-row.ts';
import {
  type InputRow,
  indexOfColumn,
  type SheetChoice,
  sheetHint,
} from '../../input/input-row.ts';
import { detectColumns } from '../../job/from-list/detect-columns.ts';
import { detectKey } from '../../job/from-list/detect-key.ts';
import { columnFlag } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { maxNameBytes } from '../../records/columns/columns.ts';
import { renamedInputs } from '../../records/columns/row-columns.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import type { SeenKeys } from './row-keys.ts';

type Cells = readonly (string | undefined)[];

/** Where the identifiers and the country stand in the input, as the job says or as can be seen. */
export function planColumns(
  job: ResolvedJob,
  columns: readonly string[],
  sample: readonly Cells[],
  sheet?: SheetChoice,
): RowPlan {
  const { column, default: byDefault } = job.country;
  const country =
    column === undefined
      ? { default: byDefault }
      : { index: requireColumn(job, column, columns), default: byDefault };
  if (job.identify) {
    const identify = job.identify.map(({ column: name, as }) => ({
      index: requireColumn(job, name, columns),
      as,
    }));
    return { identify, country };
  }
  // A list without rows asks for nothing, whatever its columns are called.
  if (sample.length === 0) return { identify: [], country };
  const detected = detectColumns(columns, sample);
  if (detected.identify.length === 0) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
      `no column looks like domains, ABNs or network URLs; the columns are: ${columns.join(', ')}${sheetHint(sheet)}`,
    );
  }
  const isFound = column === undefined && detected.country;
  return {
    identify: detected.identify.map(({ index, as }) => ({ index, as })),
    country: isFound ? { index: isFound.index, default: byDefault } : country,
  };
}

/**
 * Plans with the columns that were seen so far. An object of JSON lines omits empty fields, so a column
 * may be first seen in the last row, and rows before it have nothing there.
 */
export function planColumnsSoFar(
  job: ResolvedJob,
  columns: readonly string[],
  sample: readonly Cells[],
) {
  const identify = job.identify?.filter(({ column }) => findColumn(job, column, columns) !== -1);
  const isCountryKnown = columns.includes(job.country.column ?? '');
  const country = isCountryKnown ? job.country : { ...job.country, column: undefined };
  const isComplete =
    identify?.length === job.identify?.length &&
    isCountryKnown === (job.country.column !== undefined);
  return { plan: planColumns({ ...job, identify, country }, columns, sample), isComplete };
}

/** Where a column of the job stands in the list. Refuses a column that is not there, with the nearest. */
function requireColumn(job: ResolvedJob, column: string, columns: readonly string[]) {
  const index = findColumn(job, column, columns);
  if (index !== -1) return index;
  const nearest = nearestWord(column, columns);
  const hint = nearest ? `; did you mean ${JSON.stringify(nearest)}?` : '.';
  const place = job.placeOfColumn?.(column);
  throw new DossierError(
    place === columnFlag ? 'COLUMN_UNKNOWN' : 'JOB_INVALID',
    `${place ? `${place}: ` : ''}the input has no column ${JSON.stringify(column)}${hint} Its columns are: ${columns.join(', ')}`,
  );
}

/**
 * Where a column of the job stands in the list, -1 where it does not. On the command line capitals do not
 * matter; a job file is written once, and exactly.
 */
function findColumn(job: ResolvedJob, column: string, columns: readonly string[]) {
  const isFlag = job.placeOfColumn?.(column) === columnFlag;
  return isFlag ? indexOfColumn(columns, column) : columns.indexOf(column);
}

/** Says which columns were detected: a wrong one would cost a call for every row. */
export function columnNotes(
  job: Pick<ResolvedJob, 'identify'>,
  columns: readonly string[],
  { identify, country }: RowPlan,
): string[] {
  if (job.identify || identify.length === 0) return [];
  const nameOf = (index: number) => JSON.stringify(columns[index] ?? `column_${index + 1}`);
  const found = identify.map(({ index, as }) => `${nameOf(index)} (${as})`).join(', then ');
  const where = country.index === undefined ? '' : `, in the country of ${nameOf(country.index)}`;
  return [`Companies are identified by ${found}${where}; --column names others.`];
}

const namesShown = 3;
/** A header may be a whole question. */
const longHeader = /^(.{40}).+$/su;

/** Says which columns of the list have a name in the results that their own would not lead to. */
export function nameNotes(columns: readonly string[]): string[] {
  const renamed = renamedInputs(columns);
  if (renamed.length === 0) return [];
  const shown = renamed.slice(0, namesShown).map(({ header, name }) => {
    const short = header.replace(longHeader, (_, start: string) => `${start.trimEnd()}…`);
    return `${JSON.stringify(short)} is ${name}`;
  });
  if (renamed.length > namesShown) shown.push(`${renamed.length - namesShown} more`);
  return [
    `Columns of the results have names of at most ${maxNameBytes} bytes that differ: ${shown.join(', ')}.`,
  ];
}

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

function numberedRows(rows: number) {
  if (rows === 1) return 'one row has #2 behind its row_key';
  return `${rows.toLocaleString('en')} rows have #2, #3 and so on behind their row_key`;
}

function named(columns: readonly string[]) {
  return columns.map((column) => JSON.stringify(column)).join(' and ');
}
