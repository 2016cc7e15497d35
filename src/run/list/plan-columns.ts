import { DossierError } from '../../errors.ts';
import type { RowPlan } from '../../identify/identify-row.ts';
import { indexOfColumn } from '../../input/find-column.ts';
import { type SheetChoice, sheetHint } from '../../input/sheet-choice.ts';
import { detectColumns } from '../../job/from-list/detect-columns.ts';
import { columnFlag } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { maxNameBytes } from '../../records/columns/columns.ts';
import { renamedInputs } from '../../records/columns/row-columns.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';

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
export function requireColumn(
  job: ResolvedJob,
  column: string,
  columns: readonly string[],
): number {
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
export function findColumn(job: ResolvedJob, column: string, columns: readonly string[]): number {
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
