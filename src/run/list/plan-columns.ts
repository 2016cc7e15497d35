import { DossierError } from '../../errors.ts';
import type { RowPlan } from '../../identify/identify-row.ts';
import { indexOfColumn } from '../../input/find-column.ts';
import { type SheetChoice, sheetHint } from '../../input/sheet-choice.ts';
import { detectColumns } from '../../job/from-list/detect-columns.ts';
import { columnFlag } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';

type JobColumns = Pick<ResolvedJob, 'name' | 'identify' | 'country' | 'placeOfColumn'>;
type Cells = readonly (string | undefined)[];

/** Where the identifiers and the country stand in the input, as the job says or as can be seen. */
export function planColumns(
  job: JobColumns,
  columns: readonly string[],
  sample: readonly Cells[],
  sheet?: SheetChoice,
): RowPlan {
  if (job.identify) return planNamed(job, job.identify, columns);
  return planDetected(job, columns, sample, sheet);
}

/**
 * Plans with the columns that were seen so far. An object of JSON lines omits empty fields, so a column
 * may be first seen in the last row, and rows before it have nothing there.
 */
export function planColumnsSoFar(
  job: JobColumns,
  columns: readonly string[],
  sample: readonly Cells[],
): { plan: RowPlan; isComplete: boolean } {
  const identify = job.identify?.filter(({ column }) => findColumn(job, column, columns) !== -1);
  const isCountryKnown = columns.includes(job.country.column ?? '');
  const country = isCountryKnown ? job.country : { ...job.country, column: undefined };
  const isComplete =
    identify?.length === job.identify?.length &&
    isCountryKnown === (job.country.column !== undefined);
  return { plan: planColumns({ ...job, identify, country }, columns, sample), isComplete };
}

function planNamed(
  job: JobColumns,
  identify: NonNullable<JobColumns['identify']>,
  columns: readonly string[],
): RowPlan {
  return {
    identify: identify.map(({ column, as }) => ({
      index: requireColumn(job, column, columns),
      as,
    })),
    country: planCountry(job, columns),
  };
}

function planDetected(
  job: JobColumns,
  columns: readonly string[],
  sample: readonly Cells[],
  sheet: SheetChoice | undefined,
): RowPlan {
  // A list without rows asks for nothing, whatever its columns are called.
  if (sample.length === 0) return { identify: [], country: planCountry(job, columns) };
  const detected = detectColumns(columns, sample);
  if (detected.identify.length === 0) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
      `no column looks like domains, ABNs or network URLs; the columns are: ${columns.join(', ')}${sheetHint(sheet)}`,
    );
  }
  const isCountryNamed = job.country.column !== undefined;
  return {
    identify: detected.identify.map(({ index, as }) => ({ index, as })),
    country:
      isCountryNamed || !detected.country
        ? planCountry(job, columns)
        : { index: detected.country.index, default: job.country.default },
  };
}

function planCountry(job: JobColumns, columns: readonly string[]): RowPlan['country'] {
  const { country } = job;
  if (country.column === undefined) return { default: country.default };
  return { index: requireColumn(job, country.column, columns), default: country.default };
}

/** Where a column of the job stands in the list. Refuses a column that is not there, with the nearest. */
export function requireColumn(
  job: Pick<JobColumns, 'placeOfColumn'>,
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
export function findColumn(
  job: Pick<JobColumns, 'placeOfColumn'>,
  column: string,
  columns: readonly string[],
): number {
  const isFlag = job.placeOfColumn?.(column) === columnFlag;
  return isFlag ? indexOfColumn(columns, column) : columns.indexOf(column);
}
