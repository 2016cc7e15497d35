import type { Reading } from '../../identify/identifier.ts';
import { guessProblem } from '../../input/input-row.ts';
import {
  type CellJudge,
  describeValues,
  judgeCountry,
  judgeIdentifier,
  tallyColumn,
} from '../../job/from-list/detect-columns.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { inspectSample, type ListFindings } from './inspect-list.ts';
import type { ColumnReading, ColumnRole, ListReading, RowReading } from './list-reading.ts';
import type { ListSample } from './sample-list.ts';

const columnsShown = 100;
const rowsShown = 100;
/** Longer cells are cut; what they are is told from the whole. */
const longestCell = 300;

/** What of a job says how its list is read. */
export type ReadJob = Pick<ResolvedJob, 'identify' | 'country'> & {
  readonly input: Pick<ResolvedJob['input'], 'key'>;
};

/**
 * The beginning of a job's list, with what each column is: as the job says, or as can be seen. Of a wide list
 * the first columns are told, and those that are used or asked for by name.
 */
export function describeList(
  job: ReadJob,
  sample: ListSample,
  askedFor: readonly string[] = [],
): ListReading {
  const found = inspectSample(sample);
  const roles = rolesOf(job, sample, found);
  const { header } = sample;
  const indexes = shownIndexes(header, roles, askedFor);
  const shown = new Set(indexes);
  const { format, headerLine = null, delimiter = null, encoding = null } = sample;
  return {
    ...{ format, headerLine, delimiter, encoding },
    sheet: sample.sheet ? { name: sample.sheet.name, others: sample.sheet.others } : null,
    notes: sample.notes,
    missing: roles.missing,
    columns: indexes.map((index) => describeColumn(sample, index, roles)),
    otherColumns: header.filter((_, index) => !shown.has(index)),
    rows: sample.rows.slice(0, rowsShown).map((row, at) => ({
      number: at + 1,
      ...describeRow(row, indexes, roles, sample.guessedEncoding),
    })),
    rowsSeen: sample.rows.length,
    isWhole: sample.isWhole,
  };
}

interface Roles {
  readonly identify: readonly { readonly index: number; readonly as: Reading }[];
  readonly judges: ReadonlyMap<number, CellJudge>;
  readonly country: number | undefined;
  readonly keys: readonly number[];
  readonly keyFound: number | undefined;
  /** Columns that the job names and the list does not have. */
  readonly missing: readonly string[];
}

function rolesOf(job: ReadJob, { header }: ListSample, found: ListFindings): Roles {
  const named = job.identify?.map(({ column, as }) => ({
    ...{ column, as },
    index: header.indexOf(column),
  }));
  const detected = found.isSure ? found.columns.identify : [];
  const identify = (named ?? detected).filter(({ index }) => index !== -1);
  // A run detects the country only where it detects the other columns, too.
  const foundCountry = named ? undefined : found.columns.country?.column;
  const countryName = job.country.column ?? foundCountry;
  const country = countryName === undefined ? -1 : header.indexOf(countryName);
  const keyNames = job.input.key ?? (found.key === undefined ? [] : [found.key]);
  const wanted = [...(named ?? []).map(({ column }) => column), ...keyNames];
  if (countryName !== undefined) wanted.push(countryName);
  const judges = new Map(identify.map(({ index, as }) => [index, judgeIdentifier(as)]));
  if (country !== -1) judges.set(country, judgeCountry);
  return {
    ...{ identify, judges },
    country: country === -1 ? undefined : country,
    keys: keyNames.map((name) => header.indexOf(name)).filter((index) => index !== -1),
    keyFound: found.key === undefined ? undefined : header.indexOf(found.key),
    missing: [...new Set(wanted)].filter((name) => !header.includes(name)),
  };
}

function shownIndexes(
  header: readonly string[],
  { judges, keys }: Roles,
  askedFor: readonly string[],
): number[] {
  const first = header.slice(0, columnsShown).map((_, index) => index);
  const named = askedFor.map((name) => header.indexOf(name)).filter((index) => index !== -1);
  const used = [...judges.keys(), ...keys, ...named];
  return [...new Set([...first, ...used])].sort((one, other) => one - other);
}

function describeColumn(sample: ListSample, index: number, roles: Roles): ColumnReading {
  const cells = sample.rows.map((row) => row.cells);
  const judge = roles.judges.get(index);
  const { blank, repeated, identifiers } = describeValues(cells, index);
  const { good, rejects } = judge ? tallyColumn(cells, index, judge) : { good: 0, rejects: [] };
  return {
    name: sample.header[index] ?? '',
    role: roleOf(index, roles),
    isKey: roles.keys.includes(index),
    isKeyFound: roles.keyFound === index,
    filled: cells.length - blank,
    ...{ repeated, identifiers, good },
    rejects: rejects.map((tally) => ({ ...tally, examples: tally.examples.map(shortened) })),
  };
}

function roleOf(index: number, { identify, country }: Roles): ColumnRole {
  const place = identify.findIndex((entry) => entry.index === index);
  const entry = identify[place];
  if (entry) return { is: 'identifier', place: place + 1, as: entry.as };
  return { is: country === index ? 'country' : 'nothing' };
}

function describeRow(
  row: ListSample['rows'][number],
  indexes: readonly number[],
  { judges, identify }: Roles,
  encoding: string | undefined,
): Omit<RowReading, 'number'> {
  const rejects = indexes.flatMap((index, cell) => {
    const reject = judges.get(index)?.(row.cells[index] ?? '');
    return reject ? [{ cell, message: reject.message }] : [];
  });
  return {
    line: row.line,
    cells: indexes.map((index) => shownCell(row.cells[index])),
    problem: row.problem ?? guessProblem(row, identify, encoding) ?? null,
    rejects,
  };
}

function shownCell(cell: string | undefined): string | null {
  return cell === undefined ? null : shortened(cell);
}

function shortened(text: string): string {
  return text.length <= longestCell ? text : `${text.slice(0, longestCell - 1)}…`;
}
