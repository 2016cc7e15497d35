import { DossierError } from '../../core/errors.ts';
import { cleanCell, isBlank } from '../../core/identify/clean-cell.ts';
import {
  type CellUse,
  identifyRow,
  identifyValue,
  type RowPlan,
} from '../../core/identify/identify-row.ts';
import { type Ledger, openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { preferWhole, type Run, runName } from '../../engine/ledger/runs/runs.ts';
import {
  type Correction,
  correctionsOf,
  putCorrections,
  readCorrections,
  rowHash,
  unnumbered,
} from '../../job/corrections.ts';
import { detectionRows } from '../../job/from-list/detect-columns.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import {
  guessProblem,
  type InputRow,
  indexOfColumn,
  listedColumns,
} from '../../lists/input-row.ts';
import { openInput } from '../../lists/open-input.ts';
import { withoutProtection } from '../../results/lines.ts';
import { planColumns } from '../list/plan-columns.ts';
import { requireCorrectionsPath } from './stored-corrections.ts';

/** `isRepeated` answers for the keys in `known` only, because a list may have millions. */
export function readListed(job: ResolvedJob, keys: ReadonlySet<string>, known = [...keys]) {
  using ledger = openLedgerToRead(job.ledger);
  const newest = preferWhole(ledger?.runs.stored(job.name) ?? []);
  if (!ledger || !newest) throw new DossierError('RUN_MISSING', `${job.name} has not run`);
  const { columns } = newest;
  const { rows, sample } = readRows(ledger, newest, keys);
  const others = ledger.rows.keysAmong(known.map(otherOf));
  const isRepeated = (key: string) => others.has(otherOf(key));
  const plan = planColumns(job, columns, sample);
  return { columns, plan, isRepeated, run: runName(newest), rows };
}

/** A list has both `42` and `42#2` if the key `42` is repeated. */
function otherOf(key: string) {
  const first = unnumbered(key);
  return first === key ? `${key}#2` : first;
}

function readRows(ledger: Ledger, run: Run, keys: ReadonlySet<string>) {
  type Cells = (string | undefined)[];
  const sample: Cells[] = [];
  const rows = new Map<string, { cells: Cells; isMatched: boolean }>();
  for (const batch of ledger.lists.batches(run.listId)) {
    // Keys are unique, so stop once all are found.
    if (rows.size === keys.size && sample.length === detectionRows) break;
    const storedRows = ledger.rows.read(batch.map(({ rowId }) => rowId));
    sample.push(...storedRows.slice(0, detectionRows - sample.length).map(({ cells }) => cells));
    const wanted = storedRows.filter(({ key }) => keys.has(key));
    const ids = wanted.map(({ id }) => id);
    const outcomes = ledger.outcomes.upTo(run.id, ids);
    for (const { id, key, cells } of wanted) {
      const isMatched = outcomes.some(({ rowId, status }) => rowId === id && status === 'matched');
      rows.set(key, { cells, isMatched });
    }
  }
  return { sample, rows };
}

export async function readFixing(job: ResolvedJob, path: string) {
  const kept = readCorrections(requireCorrectionsPath(job));
  const file = await readFixedFile(path);
  const { name, withoutKey } = file;
  const listed = readListed(
    job,
    new Set(file.rows.flatMap(({ key }) => [key, withoutProtection(key)])),
  );
  const { run, plan } = listed;
  const columns = listed.columns.filter((_, index) => readingOf(index, plan) !== undefined);
  if (columns.every((column) => placeOf(column, file.columns) === -1)) {
    throw unusable(
      `${name} has none of the columns that can be corrected: ${listedColumns(columns)}`,
    );
  }
  const read = findCorrections(file, listed, kept);
  const skipped = skippedNotes(read, columns, withoutKey);
  if (read.corrections.length + read.again === 0) {
    const same = `No cell of ${listedColumns(columns)} differs from what ${run} read.`;
    throw unusable(`${name} corrects nothing. ${skipped.join(' ') || same}`);
  }
  return {
    ...read,
    run,
    columns,
    kept: putCorrections(kept, read.corrections),
    notes: [...file.notes, ...skipped],
  };
}

const mostExamples = 5;

function skippedNotes(
  { refused, unknown, matched, ignored }: ReturnType<typeof findCorrections>,
  columns: readonly string[],
  withoutKey: number,
) {
  const cells = [...ignored].map(([column, number]) => `${JSON.stringify(column)} (${number})`);
  return [
    ...refused.map(
      ({ row_key, column, value, message }) =>
        `Not used: row ${row_key}, ${column}: ${JSON.stringify(value)}. ${message}`,
    ),
    withoutKey > 0 && `Rows left out, because they have no row_key: ${withoutKey}.`,
    unknown.length > 0 &&
      `Rows left out, because the list does not have their row_key: ${unknown.length} (${listedColumns(unknown.slice(0, mostExamples))}). If a spreadsheet changed the keys, format the row_key column as text.`,
    matched > 0 && `Rows left out, because they already have a company: ${matched}.`,
    cells.length > 0 &&
      `Ignored cells of ${cells.join(', ')}. You can correct ${listedColumns(columns)}.`,
  ].filter((note) => note !== false);
}

const rejectsSheet = 'Rejects';

/** If the list has its own column `row_key`, ours is `row_key_2`. */
async function readFixedFile(path: string) {
  const first = await openInput(path);
  // A result workbook has its rejects on their own sheet.
  const hasRejects = first.sheet?.others.includes(rejectsSheet);
  if (hasRejects) await first[Symbol.asyncDispose]();
  await using input = hasRejects ? await openInput(path, { sheet: rejectsSheet }) : first;
  const { name, columns } = input;
  const rows: GivenRow[] = [];
  let withoutKey = 0;
  const keyColumn = () => {
    const second = indexOfColumn(columns, 'row_key_2');
    return second === -1 ? indexOfColumn(columns, 'row_key') : second;
  };
  for await (const row of input.rows) {
    const key = row.cells[keyColumn()]?.trim();
    if (key) rows.push({ ...row, key });
    else withoutKey += 1;
  }
  if (keyColumn() === -1) {
    throw unusable(
      `${name} has no column "row_key", which says to which row a correction belongs; its columns are ${listedColumns(columns)}`,
    );
  }
  const encoding = input.guessedEncoding();
  return { name, columns, rows, withoutKey, encoding, notes: input.notes() };
}

type GivenRow = Omit<InputRow, 'number'> & { readonly key: string };

export function findCorrections(
  file: { columns: readonly string[]; rows: readonly GivenRow[]; encoding: string | undefined },
  list: Pick<ReturnType<typeof readListed>, 'columns' | 'plan' | 'rows' | 'isRepeated'>,
  kept: readonly Correction[],
) {
  const at = new Date().toISOString();
  const keptByKey = Map.groupBy(kept, ({ row_key }) => unnumbered(row_key));
  const places = list.columns.map((column) => placeOf(column, file.columns));
  const corrections: Correction[] = [];
  const refused: Record<'row_key' | 'column' | 'value' | 'reason' | 'message', string>[] = [];
  const unknown: string[] = [];
  const ignored = new Map<string, number>();
  let matched = 0;
  let again = 0;

  for (const given of file.rows) {
    const row_key = list.rows.has(given.key) ? given.key : withoutProtection(given.key);
    const row = list.rows.get(row_key);
    if (!row) {
      unknown.push(row_key);
      continue;
    }
    const keptOfKey = keptByKey.get(unnumbered(row_key)) ?? [];
    const { made, listed } = correctionsOf(keptOfKey, row_key, list.columns, row.cells);
    const changed = [];
    for (const [index, column] of list.columns.entries()) {
      const place = places[index] ?? -1;
      const value = given.cells[place]?.trim();
      const as = readingOf(index, list.plan);
      const madeHere = made.filter((one) => one.column === column);
      const change = compareCell(value, row.cells[index] ?? '', madeHere, as);
      if (change === 'again') again += 1;
      else if (change && as) changed.push({ index, column, place, as, ...change });
      else if (change && !row.isMatched) ignored.set(column, (ignored.get(column) ?? 0) + 1);
    }
    if (row.isMatched) {
      if (changed.length > 0) matched += 1;
      continue;
    }
    const isAmbiguous = list.isRepeated(row_key) || isBlankRow(row_key, listed, list.plan);
    const hash = isAmbiguous ? { row: rowHash(listed) } : {};
    const fixed = row.cells.map((cell) => cell ?? '');
    for (const { index, now } of changed) fixed[index] = now;
    for (const { column, place, as, was, now } of changed) {
      const problem = given.problem ?? guessProblem(given, [{ index: place, as }], file.encoding);
      const verdict = identifyValue(now, as);
      // A wrong value may be removed if the row has another identifier.
      const isRemoved = isBlank(cleanCell(now)) && !identifyRow(fixed, list.plan).reject;
      const refuse = (reason: string, message: string) =>
        refused.push({ row_key, column, value: now, reason, message });
      if (problem !== undefined) refuse('unreadable_row', problem);
      else if ('reject' in verdict && !isRemoved) refuse(verdict.reject, verdict.message);
      else corrections.push({ row_key, column, was, now, at, ...hash });
    }
  }
  return { corrections, again, refused, unknown, matched, ignored };
}

/** With `excelSafe`, the header may be protected. */
function placeOf(column: string, columns: readonly string[]) {
  const place = indexOfColumn(columns, column);
  return place === -1 ? indexOfColumn(columns.map(withoutProtection), column) : place;
}

/** `again` if the same correction was made before, undefined if nothing changed. */
function compareCell(
  now: string | undefined,
  shown: string,
  made: readonly Correction[],
  as: CellUse | undefined,
) {
  // A missing column or cell was not emptied on purpose.
  if (now === undefined) return undefined;
  if (made.some((correction) => correction.now === now)) return 'again';
  // An older file still shows the value from before an earlier correction.
  const before = [shown, ...made.map(({ was }) => was)];
  if (before.some((text) => saysTheSame(text, now, as))) return undefined;
  const last = made.find((correction) => correction.now === shown);
  return { was: last?.was ?? shown, now };
}

/** Rows with blank identifiers share one key, a hash, so it cannot tell them apart. */
function isBlankRow(
  key: string,
  cells: readonly (string | undefined)[],
  { identify, name }: RowPlan,
) {
  const isHash = /^[0-9a-f]{16}$/.test(key);
  const places = [...identify.map(({ index }) => index), ...(name ? [name.index] : [])];
  return isHash && places.every((index) => isBlank(cleanCell(cells[index] ?? '')));
}

export function readingOf(
  index: number,
  { identify, country, name }: RowPlan,
): CellUse | undefined {
  if (index === name?.index) return 'name';
  if (index === country.index) return 'country';
  return identify.find((column) => column.index === index)?.as;
}

/** A spreadsheet may reformat a cell, which is no correction: `51 824 753 556 → 51824753556`. */
function saysTheSame(before: string, after: string, as: CellUse | undefined) {
  // The option `excelSafe` puts an apostrophe before possible formulas.
  if (after === `'${before.trim()}` || cleanCell(before) === cleanCell(after)) return true;
  if (as === undefined) return false;
  const [one, other] = [identifyValue(before, as), identifyValue(after, as)];
  return !('reject' in one) && JSON.stringify(one) === JSON.stringify(other);
}

function unusable(message: string) {
  return new DossierError('INPUT_INVALID', message);
}
