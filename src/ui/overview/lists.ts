import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DossierError } from '../../core/errors.ts';
import type { Reading } from '../../core/identify/identifier.ts';
import { writeFileAtomically } from '../../core/runtime/files/atomic-file.ts';
import type { ListLocation } from '../../core/runtime/files/local-path.ts';
import {
  type ColumnUse,
  detectColumns,
  detectKey,
  rejectOf,
  tallyColumn,
} from '../../job/from-list/detect-columns.ts';
import { describeColumn, describeColumns, likeliestColumn } from '../../job/from-list/draft-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { findColumn, guessProblem, type InputRow, sheetHint } from '../../lists/input-row.ts';
import { type InputOptions, openInput } from '../../lists/open-input.ts';

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
  named?: readonly { readonly column: string; readonly as: Reading }[],
) {
  const { rows, ...list } = input;
  const { name, sheet, header } = list;
  const sample = rows.map(({ cells }) => cells);
  const facts = describeColumns(header, sample);
  const detected = detectColumns(header, sample);
  // Cells beyond the header have no column name that a job could use.
  const found = named
    ? named.map(({ column, as }) =>
        describeColumn({ ...findColumn({ name, columns: header }, column), as }, sample),
      )
    : detected.identify.filter(({ column }) => column !== '');
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
  const shares = new Map(columns.identify.map(({ index, share }) => [index, share]));
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

export type ReadJob = Pick<ResolvedJob, 'identify' | 'country'> & {
  readonly input: Pick<ResolvedJob['input'], 'key'>;
};

export function describeList(job: ReadJob, sample: ListSample) {
  const found = inspectSample(sample);
  const roles = rolesOf(job, sample, found);
  const { header } = sample;
  const indexes = shownIndexes(header, roles);
  return {
    format: sample.format,
    headerLine: sample.headerLine ?? null,
    delimiter: sample.delimiter ?? null,
    encoding: sample.encoding ?? null,
    sheet: sample.sheet ?? null,
    notes: sample.notes,
    missing: roles.missing,
    columns: indexes.map((index) => readColumn(sample, index, roles, found)),
    otherColumns: header.length - indexes.length,
    rows: sample.rows.slice(0, rowsShown).map((row, at) => ({
      number: at + 1,
      ...describeRow(row, indexes, roles, sample.guessedEncoding),
    })),
    rowsSeen: sample.rows.length,
    isWhole: sample.isWhole,
  };
}

function rolesOf(job: ReadJob, { header }: ListSample, found: ListFindings) {
  const named = job.identify?.map(({ column, as }) => ({
    column,
    as,
    index: header.indexOf(column),
  }));
  const detected = found.isSure ? found.columns.identify : [];
  const identify = (named ?? detected).filter(({ index }) => index !== -1);
  // A run detects the country only if it also detects the other columns.
  const foundCountry = named ? undefined : found.columns.country?.column;
  const countryName = job.country.column ?? foundCountry;
  const country = countryName === undefined ? -1 : header.indexOf(countryName);
  const keyNames = job.input.key ?? (found.key === undefined ? [] : [found.key]);
  const wanted = [...(named ?? []).map(({ column }) => column), ...keyNames];
  if (countryName !== undefined) wanted.push(countryName);
  const uses = new Map<number, ColumnUse>(identify.map(({ index, as }) => [index, as]));
  if (country !== -1) uses.set(country, 'country');
  return {
    identify,
    uses,
    country,
    keys: keyNames.map((name) => header.indexOf(name)).filter((index) => index !== -1),
    keyFound: found.key === undefined ? undefined : header.indexOf(found.key),
    missing: [...new Set(wanted)].filter((name) => !header.includes(name)),
  };
}

function shownIndexes(header: readonly string[], { uses, keys }: Roles): number[] {
  const first = header.slice(0, columnsShown).map((_, index) => index);
  const used = [...uses.keys(), ...keys];
  return [...new Set([...first, ...used])].sort((one, other) => one - other);
}

function readColumn(sample: ListSample, index: number, roles: Roles, { facts }: ListFindings) {
  const cells = sample.rows.map((row) => row.cells);
  const use = roles.uses.get(index);
  const { filled = 0, repeated = 0, identifiers = 0 } = facts[index] ?? {};
  const { good, rejects } = use ? tallyColumn(cells, index, use) : { good: 0, rejects: [] };
  return {
    name: sample.header[index] ?? '',
    role: roleOf(index, roles),
    isKey: roles.keys.includes(index),
    isKeyFound: roles.keyFound === index,
    filled,
    repeated,
    identifiers,
    good,
    rejects: rejects.map((tally) => ({ ...tally, examples: tally.examples.map(shortened) })),
  };
}

function roleOf(index: number, { identify, country }: Roles) {
  const at = identify.findIndex((entry) => entry.index === index);
  const entry = identify[at];
  if (entry) return { is: 'identifier' as const, rank: at + 1, as: String(entry.as) };
  return { is: country === index ? 'country' : 'nothing' } as const;
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
      return cell === undefined ? null : shortened(cell);
    }),
    problem: row.problem ?? guessProblem(row, identify, encoding) ?? null,
    rejects,
  };
}

function shortened(text: string): string {
  return text.length <= longestCell ? text : `${text.slice(0, longestCell - 1)}…`;
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

function alreadyThere(path: string): DossierError {
  return new DossierError('FILE_EXISTS', `${path} already exists`);
}
