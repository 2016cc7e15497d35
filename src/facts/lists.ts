import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { nameColumn } from '../core/columns/columns.ts';
import { DossierError } from '../core/errors.ts';
import type { ColumnReading } from '../core/identify/identifier.ts';
import type { CellUse } from '../core/identify/identify-row.ts';
import { shorten } from '../core/values/format.ts';
import {
  detectColumns,
  detectKey,
  detectNameColumn,
  type RejectTally,
  rejectOf,
  tallyColumn,
} from '../job/from-list/detect-columns.ts';
import { describeColumn, describeColumns, likeliestColumn } from '../job/from-list/draft-job.ts';
import {
  findColumn,
  guessProblem,
  type InputRow,
  type SheetChoice,
  sheetHint,
} from '../lists/input-row.ts';
import { type InputOptions, openInput } from '../lists/open-input.ts';
import { writeFileAtomically } from '../platform/files/atomic-file.ts';
import type { ListLocation } from '../platform/files/local-path.ts';
import { type ColumnJob, planColumns } from '../run/list/plan-columns.ts';
import { type KeyOfLastRun, planKey } from '../run/list/row-keys.ts';

const sampleRows = 1_000;
/** Every cell is tried as every kind of identifier, so fewer rows of a wide list are read. */
const sampleCells = 100_000;

export type ListSample = Awaited<ReturnType<typeof sampleList>>;

export async function sampleList(list: ListLocation, form: InputOptions = {}) {
  await using input = await openInput(list, form);
  const rows: InputRow[] = [];
  let cells = 0;
  let isWhole = true;
  for await (const row of input.rows) {
    if (rows.length === sampleRows || cells > sampleCells) {
      isWhole = false;
      break;
    }
    rows.push(row);
    cells += row.cells.length;
  }
  const { name, format, sheet, hasHeader, headerLine, delimiter } = input;
  const guessedEncoding = input.guessedEncoding();
  return {
    name,
    format,
    sheet,
    hasHeader,
    headerLine,
    delimiter,
    encoding: guessedEncoding ?? input.encoding,
    /** With a guessed encoding, identifiers with non-ASCII characters are rejected. */
    guessedEncoding,
    notes: input.notes(),
    guesses: input.guesses,
    header: [...input.columns],
    rows,
    isWhole,
  };
}

export type ListFindings = ReturnType<typeof inspectSample>;

export function inspectSample(
  input: ListSample,
  named?: readonly { readonly column: string; readonly as: ColumnReading }[],
  hasRegister = false,
) {
  const { rows, ...list } = input;
  const { name, sheet, header } = list;
  const sample = rows.map(({ cells }) => cells);
  const facts = describeColumns(header, sample);
  const detected = detectColumns(header, sample);
  // A JSON key may be empty, but a job cannot name such a column.
  const found = (
    named?.map(({ column, as }) => ({ ...findColumn({ name, columns: header }, column), as })) ??
    detected.identify.filter(({ column }) => column !== '')
  ).map((one) => describeColumn(one, sample));
  const index = named || !hasRegister ? -1 : detectNameColumn(header);
  const column = header[index];
  if (column && !found.some((one) => one.index === index)) {
    found.push(describeColumn({ index, column, as: 'name' }, sample));
  }
  const likeliest = likeliestColumn(facts);
  if (!likeliest) {
    throw new DossierError(
      'COLUMNS_UNCLEAR',
      `${name} has no column that identifies companies${sheetHint(sheet)}`,
    );
  }
  const isSure = found.length > 0;
  const columns = { ...detected, identify: isSure ? found : [likeliest] };
  const used = [...columns.identify, ...(columns.country ? [columns.country] : [])];
  const key = detectKey(
    header,
    sample,
    used.map(({ index }) => index),
  );
  const identified = columns.identify.filter(({ as }) => as !== 'name');
  const shares = new Map(identified.map(({ index, share }) => [index, share]));
  return {
    ...list,
    rowsSeen: sample.length,
    columns,
    /** If false, `columns.identify` is only a guess. */
    isSure,
    key,
    // `share` counts all identifiers, but in a column read as ABNs, for example, only ABNs.
    facts: facts.map((one, index) => ({ ...one, share: shares.get(index) ?? one.share })),
  };
}

const columnsShown = 300;
const rowsShown = 100;
/** Cells are cut for display only, after they are identified. */
const longestCell = 300;

type Roles = ReturnType<typeof rolesOf>;

/** How a list is read, with its first rows. */
export interface ListReading {
  readonly format: ListSample['format'];
  readonly headerLine: number | null;
  readonly delimiter: string | null;
  readonly encoding: string | null;
  readonly sheet: SheetChoice | null;
  readonly notes: readonly string[];
  /** Columns that the job names and the list lacks. */
  readonly missing: readonly string[];
  readonly columns: readonly ColumnReadAs[];
  /** Columns that are not shown. */
  readonly otherColumns: number;
  readonly rows: readonly {
    readonly number: number;
    readonly line: number;
    readonly cells: readonly (string | null)[];
    readonly problem: string | null;
    readonly rejects: readonly { readonly cell: number; readonly message: string }[];
  }[];
  readonly rowsSeen: number;
  readonly isWhole: boolean;
}

export interface ColumnReadAs {
  readonly name: string;
  readonly role: ColumnRole;
  /** True if it holds company names. */
  readonly isName: boolean;
  readonly isKey: boolean;
  readonly isKeyFound: boolean;
  /** State or postcode, which decides between companies of one name. */
  readonly isPlace: boolean;
  readonly filled: number;
  readonly repeated: number;
  readonly identifiers: number;
  readonly good: number;
  readonly rejects: readonly RejectTally[];
}

type ColumnRole =
  | { readonly is: 'identifier'; readonly rank: number; readonly as: string }
  | { readonly is: 'country' | 'nothing'; readonly rank?: never; readonly as?: never };

export function describeList(
  job: ColumnJob,
  asWritten: ListSample,
  sample: ListSample,
  keyOfLastRun: KeyOfLastRun,
): ListReading {
  const roles = rolesOf(job, asWritten, keyOfLastRun);
  const { header } = sample;
  const cells = sample.rows.map((row) => row.cells);
  const facts = describeColumns(header, cells);
  const indexes = shownIndexes(header, roles);
  const name = roles.name ?? nameColumn(header);
  return {
    format: sample.format,
    headerLine: sample.headerLine ?? null,
    delimiter: sample.delimiter ?? null,
    encoding: sample.encoding ?? null,
    sheet: sample.sheet ?? null,
    notes: sample.notes,
    missing: roles.missing,
    columns: indexes.map((index) => ({
      ...readColumn(index, roles, cells, facts),
      isName: index === name,
    })),
    otherColumns: header.length - indexes.length,
    rows: sample.rows.slice(0, rowsShown).map((row, at) => ({
      number: at + 1,
      ...describeRow(row, indexes, roles, sample.guessedEncoding),
    })),
    rowsSeen: sample.rows.length,
    isWhole: sample.isWhole,
  };
}

/** A run chooses its columns from the list as written, before it applies the corrections. */
function rolesOf(job: ColumnJob, { header, rows }: ListSample, last: KeyOfLastRun) {
  const cells = rows.map((row) => row.cells);
  const plan = planColumns(job, header, cells, true);
  const { identify, country, name } = plan;
  const uses = new Map<number, CellUse>(identify.map(({ index, as }) => [index, as]));
  if (name && !uses.has(name.index)) uses.set(name.index, 'name');
  if (country.index !== undefined) uses.set(country.index, 'country');
  const { key = [] } = job.input;
  const named = [...(job.identify ?? []), job.country].map((one) => one.column);
  const wanted = new Set([...named, ...key].filter((name) => name !== undefined));
  const keysOf = (one: ColumnJob) => planKey(one, header, rows, plan, last).indexes;
  return {
    identify,
    uses,
    name: name?.index,
    places: [name?.state, name?.postcode],
    country: country.index,
    keys: keysOf(job).filter((index) => index !== -1),
    keysFound: keysOf({ ...job, input: { key: undefined } }),
    missing: [...wanted].filter((name) => !header.includes(name)),
  };
}

function shownIndexes(header: readonly string[], { uses, keys }: Roles) {
  const first = header.slice(0, columnsShown).map((_, index) => index);
  const used = [...uses.keys(), ...keys];
  return [...new Set([...first, ...used])].sort((one, other) => one - other);
}

function readColumn(
  index: number,
  roles: Roles,
  cells: readonly InputRow['cells'][],
  facts: ListFindings['facts'],
) {
  const use = roles.uses.get(index);
  const { column: name = '', filled = 0, repeated = 0, identifiers = 0 } = facts[index] ?? {};
  const { good, rejects } = use ? tallyColumn(cells, index, use) : { good: 0, rejects: [] };
  return {
    name,
    role: roleOf(index, roles),
    isKey: roles.keys.includes(index),
    isPlace: roles.places.includes(index),
    isKeyFound: roles.keysFound.includes(index),
    filled,
    repeated,
    identifiers,
    good,
    rejects: rejects.map((tally) => ({
      ...tally,
      examples: tally.examples.map((cell) => shorten(cell, longestCell)),
    })),
  };
}

function roleOf(index: number, { identify, country, name }: Roles): ColumnRole {
  const at = identify.findIndex((entry) => entry.index === index);
  const entry = identify[at];
  if (entry) return { is: 'identifier', rank: at + 1, as: String(entry.as) };
  if (name === index) {
    return { is: 'identifier', rank: identify.length + 1, as: 'name' };
  }
  return { is: country === index ? 'country' : 'nothing' };
}

function describeRow(
  row: ListSample['rows'][number],
  indexes: readonly number[],
  { uses, identify }: Roles,
  encoding: string | undefined,
) {
  const rejects = indexes.flatMap((index, cell) => {
    const use = uses.get(index);
    const reject = use && rejectOf(row.cells[index] ?? '', use);
    return reject ? [{ cell, message: reject.message }] : [];
  });
  return {
    line: row.line,
    cells: indexes.map((index) => {
      const cell = row.cells[index];
      return cell === undefined ? null : shorten(cell, longestCell);
    }),
    problem: row.problem ?? guessProblem(row, identify, encoding) ?? null,
    rejects,
  };
}

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

export async function writeDraft(path: string, text: string, isForced = false): Promise<void> {
  try {
    if (isForced) {
      await writeFileAtomically(path, text);
      return;
    }
    await using file = await open(path, 'wx');
    await file.writeFile(text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyThere(path);
    const reason =
      error instanceof DossierError ? message : `${path} cannot be written: ${message}`;
    throw new DossierError('FILE_UNWRITABLE', reason, { cause: error });
  }
}

function alreadyThere(path: string) {
  return new DossierError('FILE_EXISTS', `${path} already exists`);
}
