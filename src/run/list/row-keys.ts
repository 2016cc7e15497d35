import { hash } from 'node:crypto';
import type { Country } from '../../core/contract/countries.ts';
import { cleanCell, isBlank } from '../../core/identify/clean-cell.ts';
import type { RowPlan } from '../../core/identify/identify-row.ts';
import type { RowCandidate } from '../../core/rules/next-candidate.ts';
import { detectKey } from '../../job/from-list/detect-columns.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import type { InputRow } from '../../lists/input-row.ts';
import { findColumn } from './plan-columns.ts';

type Cells = InputRow['cells'];

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
  if (rows.length === 0 || last === null) return planOf([], 'last run');
  if (last?.every((name) => columns.includes(name))) return planOf(last, 'last run');
  // A row that could not be read whole says nothing about its columns.
  const readable = rows.filter(({ problem }) => problem === undefined);
  const asked = [...plan.identify.map(({ index }) => index), plan.country.index ?? -1];
  const cells = readable.map((row) => row.cells);
  const detected = detectKey(columns, cells, asked);
  return planOf(detected === undefined ? [] : [detected], 'detection');
}

const hashed = 'a hash of its identifiers';
const longestKey = 60;

/** Says what tells rows apart where that is a guess, has changed or does not tell all of them apart. */
export function keyNotes(
  { columns, foundBy }: KeyPlan,
  last: KeyOfLastRun,
  seen: ReturnType<typeof openRowKeys>['seen'],
) {
  const { withoutKey, repeatedCells, repeatedIdentities } = seen;
  const named = columns.map((column) => JSON.stringify(column)).join(' and ');
  const now = named || hashed;
  const before = last?.map((column) => JSON.stringify(column)).join(' and ') ?? hashed;
  const notes: string[] = [];
  if (foundBy !== 'last run' && last !== undefined && before !== now) {
    notes.push(`A row is now known by ${now}, not by ${before}, so each row counts as new.`);
  } else if (foundBy === 'detection' && named !== '') {
    notes.push(
      `A row is known by ${named} (row_key in the results); input.key names other columns.`,
    );
  }
  const numbered = (rows: number) =>
    `Repeated rows with #2, #3 … after their row_key: ${rows.toLocaleString('en')}.`;
  if (named !== '' && withoutKey.rows > 0) {
    const rows = withoutKey.rows.toLocaleString('en');
    notes.push(
      `Rows without ${named}: ${rows}, the first is row ${withoutKey.first}. The row_key of each is ${hashed}.`,
    );
  }
  if (repeatedCells.first) {
    const { key, numbers } = repeatedCells.first;
    const shown = key.length <= longestKey ? key : `${key.slice(0, longestKey - 1)}…`;
    notes.push(
      `Key ${named} is not unique: rows ${numbers.join(' and ')} both have ${JSON.stringify(shown)}. ${numbered(repeatedCells.rows)}`,
    );
  }
  if (repeatedIdentities.first) {
    const rows = repeatedIdentities.first.numbers.join(' and ');
    notes.push(
      `Rows ${rows} have the same identifiers. ${numbered(repeatedIdentities.rows)} input.key names a column that tells rows apart.`,
    );
  }
  return notes;
}

/** A row as far as it can be read. */
interface KeyedRow {
  readonly number: number;
  readonly cells: Cells;
  readonly country: Country | undefined;
  readonly candidates: readonly RowCandidate[];
}

/** Gives the rows of one list their keys, in the order of the list. */
export function openRowKeys() {
  const take = openUniqueKeys();
  const seen = {
    repeatedCells: noRepeats(),
    repeatedIdentities: noRepeats(),
    /** Rows whose key cells are blank. */
    withoutKey: { rows: 0, first: 0 },
  };
  return {
    seen,
    keyOf(row: KeyedRow, rowPlan: RowPlan, { indexes }: KeyPlan): string {
      const { number, cells } = row;
      const own = keyFromColumns(cells, indexes);
      if (own !== undefined) return take(own, number, seen.repeatedCells);
      seen.withoutKey.rows += 1;
      seen.withoutKey.first ||= number;
      // Rows without identifiers are rejected, and have nothing in common.
      const isBare =
        row.candidates.length === 0 &&
        rowPlan.identify.every(({ index }) => filled(cells[index]) === '');
      const repeats = isBare ? noRepeats() : seen.repeatedIdentities;
      return take(keyFromIdentity(row, rowPlan), number, repeats);
    },
  };
}

/**
 * The key that the columns of a list give a row; undefined where all of its key cells are blank. Cells are
 * cleaned. Of several columns `|` stands between the cells, and a cell's own `|` and `\` have a `\` before
 * them, so that no two rows with different cells have one key: `eu`, `42` → `eu|42`.
 */
export function keyFromColumns(cells: Cells, indexes: readonly number[]): string | undefined {
  const [index] = indexes;
  if (indexes.length === 1 && index !== undefined) return filled(cells[index]) || undefined;
  const parts = indexes.map((place) => filled(cells[place]));
  if (parts.every((part) => part === '')) return undefined;
  return parts.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|');
}

/**
 * The key of a row that has none of its own: a hash of its country and its identifiers as they are asked
 * for, so that `https://www.acme.com/about` and `acme.com` are the same row. A row without a good identifier
 * or country has its cells instead, cleaned and in lower case.
 */
export function keyFromIdentity(row: Omit<KeyedRow, 'number'>, plan: RowPlan): string {
  const { cells, candidates } = row;
  const cellText = (index = -1) => cleanCell(cells[index] ?? '').toLowerCase();
  const identity =
    candidates.length > 0
      ? candidates.map(([kind, value]) => `${kind}:${value}`)
      : plan.identify.map(({ index }) => cellText(index));
  const country = row.country ?? cellText(plan.country.index);
  // Of a million rows, two have the same 16 hex digits once in 37 million lists.
  return hash('sha256', JSON.stringify([country, ...identity]), 'hex').slice(0, 16);
}

function filled(cell = '') {
  const cleaned = cleanCell(cell);
  return isBlank(cleaned) ? '' : cleaned;
}

/** Rows whose key an earlier row has. */
interface Repeats {
  rows: number;
  first: { readonly key: string; readonly numbers: readonly [number, number] } | undefined;
}

export function noRepeats(): Repeats {
  return { rows: 0, first: undefined };
}

/** The value of a slot is the number of the first row, or how often its key was taken, marked so. */
const repeated = 2 ** 31;
const fullAt = 0.75;
const growth = 1.5;

/**
 * Gives a key as it is to the first row that has it, and with the next free `#2`, `#3` … to later ones. Hashes of
 * keys stand in an open-addressed table of 12 bytes a slot: a million keys take 18 MB, and in a Map 60 to 80.
 */
export function openUniqueKeys() {
  let capacity = 1_024;
  let [highs, lows, values] = tableOf(capacity);
  let taken = 0;

  /** The slot of a hash, or the free one where it belongs, which has it from here on. */
  const slotOf = (high: number, low: number) => {
    let slot = Math.floor((high / 2 ** 32) * capacity);
    while (values[slot] !== 0 && !(highs[slot] === high && lows[slot] === low)) {
      slot = slot + 1 === capacity ? 0 : slot + 1;
    }
    highs[slot] = high;
    lows[slot] = low;
    return slot;
  };
  const find = (key: string) => {
    const digest = hash('sha256', key, 'buffer');
    return slotOf(digest.readUInt32BE(0), digest.readUInt32BE(4));
  };
  const grow = () => {
    const [oldHighs, oldLows, oldValues] = [highs, lows, values];
    capacity = Math.ceil(capacity * growth);
    [highs, lows, values] = tableOf(capacity);
    for (const [slot, value] of oldValues.entries()) {
      if (value !== 0) values[slotOf(oldHighs[slot] ?? 0, oldLows[slot] ?? 0)] = value;
    }
  };

  return (key: string, number: number, repeats: Repeats): string => {
    if (taken >= capacity * fullAt) grow();
    const slot = find(key);
    const value = values[slot] ?? 0;
    taken += 1;
    if (value === 0) {
      values[slot] = number;
      return key;
    }
    repeats.rows += 1;
    const isFirstRepeat = value < repeated;
    if (isFirstRepeat) repeats.first ??= { key, numbers: [value, number] };
    for (let count = isFirstRepeat ? 2 : value - repeated + 1; ; count += 1) {
      const numbered = `${key}#${count}`;
      const free = find(numbered);
      // A row may hold such a key itself: 42#2.
      if (values[free] !== 0) continue;
      values[free] = number;
      values[slot] = repeated + count;
      return numbered;
    }
  };
}

function tableOf(capacity: number) {
  return [new Uint32Array(capacity), new Uint32Array(capacity), new Uint32Array(capacity)] as const;
}
