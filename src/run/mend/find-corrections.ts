import { cleanCell, isBlank } from '../../identify/clean-cell.ts';
import type { Reading } from '../../identify/identifier.ts';
import { identifyRow, type RowPlan } from '../../identify/identify-row.ts';
import { judgeValue, type ValueVerdict } from '../../identify/judge-value.ts';
import { indexOfColumn } from '../../input/find-column.ts';
import { guessProblem } from '../../input/reading-notes.ts';
import type { Correction } from '../../job/mended/correction.ts';
import type { ListedRow } from '../../queue/mended/listed-rows.ts';
import type { GivenRow, MendedFile } from './read-mended-file.ts';

/** A cell that was changed and is no better. */
export interface RefusedCell {
  readonly row_key: string;
  readonly column: string;
  readonly value: string;
  /** Code of the reason, as in `reason` of the outputs. */
  readonly reason: string;
  readonly message: string;
}

/** What a mended file says about a list. */
export interface Findings {
  /** Corrections that are new, or say something else than before. */
  readonly corrections: readonly Correction[];
  /** Cells whose correction is kept already. */
  readonly again: number;
  readonly refused: readonly RefusedCell[];
  /** Keys of rows that the list does not have. */
  readonly unknown: readonly string[];
  /** Rows with a changed cell that have a company already, and are left as they are. */
  readonly matched: number;
  /** Changed cells of columns that say nothing about what a row asks for, by column. */
  readonly ignored: ReadonlyMap<string, number>;
}

/** A list as the last run has read it. */
export interface KnownList {
  readonly columns: readonly string[];
  readonly plan: RowPlan;
  readonly rows: ReadonlyMap<string, ListedRow>;
  /** Corrections that are kept, by the keys of their rows. */
  readonly kept: ReadonlyMap<string, readonly Correction[]>;
}

/** Compares a mended file with the list, cell by cell. Changes nothing. */
export function findCorrections(file: MendedFile, list: KnownList, at: string): Findings {
  const corrections: Correction[] = [];
  const refused: RefusedCell[] = [];
  const unknown: string[] = [];
  const ignored = new Map<string, number>();
  let matched = 0;
  let again = 0;
  const places = list.columns.map((column) => indexOfColumn(file.columns, column));

  for (const given of file.rows) {
    const row = list.rows.get(given.key);
    if (!row) {
      unknown.push(given.key);
      continue;
    }
    const changed = changedCells(given, row, places, list);
    const asked = changed.filter(({ as }) => as !== undefined);
    again += asked.filter(({ isKept }) => isKept).length;
    const fresh = asked.filter(({ isKept }) => !isKept);
    if (row.isMatched) {
      if (fresh.length > 0) matched += 1;
      continue;
    }
    for (const { column, as } of changed)
      if (as === undefined) ignored.set(column, (ignored.get(column) ?? 0) + 1);
    for (const cell of fresh) {
      const problem = troubleOf(cell, fresh, { file, given, row, plan: list.plan });
      const { column, value, was } = cell;
      if (problem) refused.push({ row_key: given.key, column, value, ...problem });
      else corrections.push({ row_key: given.key, column, was, now: value, at });
    }
  }
  return { corrections, again, refused, unknown, matched, ignored };
}

interface ChangedCell {
  readonly column: string;
  /** Where it stands in the list, and in the file. */
  readonly index: number;
  readonly place: number;
  /** What its column is read as; undefined where it says nothing about what the row asks for. */
  readonly as: Reading | 'country' | undefined;
  readonly value: string;
  /** What the list itself holds there. */
  readonly was: string;
  /** A correction that is kept says the same. */
  readonly isKept: boolean;
}

function changedCells(
  { key, cells }: GivenRow,
  row: ListedRow,
  places: readonly number[],
  { columns, plan, kept }: KnownList,
): ChangedCell[] {
  const ofRow = kept.get(key) ?? [];
  return columns.flatMap<ChangedCell>((column, index) => {
    const place = places[index] ?? -1;
    // A column that the file lacks, or a cell that its row lacks, was not emptied.
    const value = place === -1 ? undefined : cells[place]?.trim();
    if (value === undefined) return [];
    const as = readingOf(index, plan);
    const own = ofRow.filter((correction) => correction.column === column);
    const cell = { column, index, place, as, value };
    if (own.some(({ now }) => now === value)) return [{ ...cell, was: '', isKept: true }];
    const shown = row.cells[index] ?? '';
    // A file from before a correction still shows what was rejected.
    if ([shown, ...own.map(({ was }) => was)].some((text) => saysTheSame(text, value, as)))
      return [];
    const was = own.find(({ now }) => now === shown)?.was ?? shown;
    return [{ ...cell, was, isKept: false }];
  });
}

function readingOf(index: number, { identify, country }: RowPlan): ChangedCell['as'] {
  if (index === country.index) return 'country';
  return identify.find((column) => column.index === index)?.as;
}

/** Whether a spreadsheet, and nobody, has changed a cell: `51 824 753 556` and `51824753556`. */
function saysTheSame(before: string, after: string, as: ChangedCell['as']): boolean {
  // With excelSafe the files have an apostrophe before what could be a formula.
  if (after === before || after === `'${before.trim()}`) return true;
  if (cleanCell(before) === cleanCell(after)) return true;
  if (as === undefined) return false;
  const [one, other] = [judgeValue(before, as), judgeValue(after, as)];
  return !('reject' in one) && JSON.stringify(one) === JSON.stringify(other);
}

interface RowFacts {
  readonly file: MendedFile;
  readonly given: GivenRow;
  readonly row: ListedRow;
  readonly plan: RowPlan;
}

/** Why a changed cell is no correction; undefined where it is one. */
function troubleOf(
  { as, value, place }: ChangedCell,
  changed: readonly ChangedCell[],
  { file, given, row, plan }: RowFacts,
): Pick<RefusedCell, 'reason' | 'message'> | undefined {
  const problem = given.problem ?? guessProblem(given, [{ index: place }], file.encoding);
  if (problem !== undefined) return { reason: 'unreadable_row', message: problem };
  const verdict: ValueVerdict = judgeValue(value, as ?? 'auto');
  if (!('reject' in verdict)) return undefined;
  // A wrong value may be taken away where the row has another.
  const isWithout =
    isBlank(cleanCell(value)) && !identifyRow(mendedCells(row, changed), plan).reject;
  return isWithout ? undefined : { reason: verdict.reject, message: verdict.message };
}

function mendedCells({ cells }: ListedRow, changed: readonly ChangedCell[]): string[] {
  const mended = cells.map((cell) => cell ?? '');
  for (const { index, value } of changed) mended[index] = value;
  return mended;
}
