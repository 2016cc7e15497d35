import { hash } from 'node:crypto';
import { cleanCell, isBlank } from '../../core/identify/clean-cell.ts';
import type { RowPlan } from '../../core/identify/identify-row.ts';
import { foldName } from '../../core/names/fold-name.ts';
import { formatNumber } from '../../core/values/format.ts';
import type { IdentifiedRow } from '../../engine/queue/run-queue.ts';
import { detectKey } from '../../job/from-list/detect-columns.ts';
import type { InputRow } from '../../lists/input-row.ts';
import { type ColumnJob, columnIndexOf } from './plan-columns.ts';

type Cells = InputRow['cells'];

/** Null: the keys of the last run were hashes. Undefined: there is no last run. */
export type KeyOfLastRun = readonly string[] | null | undefined;

export interface KeyPlan {
  readonly columns: readonly string[];
  /** -1 for a column not yet seen in JSON Lines. */
  readonly indexes: readonly number[];
  readonly foundBy: 'job' | 'last run' | 'detection';
}

/** Prefers the key columns of the last run, so rows can be compared between runs. */
export function planKey(
  job: ColumnJob,
  columns: readonly string[],
  rows: readonly InputRow[],
  plan: RowPlan,
  last: KeyOfLastRun,
): KeyPlan {
  const planOf = (names: readonly string[], foundBy: KeyPlan['foundBy']) => ({
    columns: names,
    indexes: names.map((name) => columnIndexOf(job, name, columns)),
    foundBy,
  });
  const { key } = job.input;
  if (key) return planOf(key, 'job');
  // An empty list chooses no key: it may lack columns that the lists before and after it have.
  if (rows.length === 0 || last === null) return planOf([], 'last run');
  if (last?.every((name) => columns.includes(name))) return planOf(last, 'last run');
  const readable = rows.filter(({ problem }) => problem === undefined);
  const lookupColumns = [...plan.identify.map(({ index }) => index), plan.country.index ?? -1];
  const cells = readable.map((row) => row.cells);
  const detected = detectKey(columns, cells, lookupColumns);
  return planOf(detected === undefined ? [] : [detected], 'detection');
}

const hashed = 'a hash of their identifiers';
const longestKey = 60;

export function keyNotes(
  { columns, foundBy }: KeyPlan,
  last: KeyOfLastRun,
  { rows, first }: Repeats,
): string[] {
  const named = (names: KeyOfLastRun) =>
    names?.map((column) => JSON.stringify(column)).join(' and ') || hashed;
  const [now, before] = [named(columns), named(last)];
  const notes: string[] = [];
  if (foundBy !== 'last run' && last !== undefined && before !== now) {
    notes.push(`Rows are now identified by ${now}, not by ${before}, so every row counts as new.`);
  } else if (foundBy === 'detection' && now !== hashed) {
    notes.push(`Rows are identified by ${now}; choose other columns with input.key in a job.`);
  }
  if (first) {
    const { key, numbers } = first;
    const all = rows === 1 ? '' : ` In all, ${formatNumber(rows)} rows repeat an earlier one.`;
    const [same, next] =
      now === hashed
        ? ['identifiers as', ', and one call serves them.']
        : [
            `${now}, ${JSON.stringify(key.slice(0, longestKey))}, as`,
            '. If these are different rows, name a unique column with input.key in a job.',
          ];
    notes.push(
      `Row ${numbers[1]} has the same ${same} row ${numbers[0]}.${all} Each stays in the result${next}`,
    );
  }
  return notes;
}

type KeyedRow = Pick<IdentifiedRow, 'number' | 'cells' | 'country' | 'candidates'>;

export function createRowKeys() {
  const take = createUniqueKeys();
  const repeats = noRepeats();
  return {
    repeats,
    keyOf(row: KeyedRow, rowPlan: RowPlan, { indexes }: KeyPlan): string {
      const { number, cells } = row;
      const fromColumns = keyFromColumns(cells, indexes);
      if (fromColumns !== undefined) return take(fromColumns, number, repeats);
      // Rows without identifiers share a key, but are not reported as repeats of each other.
      const isBare =
        row.candidates.length === 0 &&
        [...rowPlan.identify, ...(rowPlan.name ? [rowPlan.name] : [])].every(
          ({ index }) => filled(cells[index]) === '',
        );
      return take(keyFromIdentifiers(row, rowPlan), number, isBare ? noRepeats() : repeats);
    },
  };
}

/** `eu`, `42` → `eu|42`. Escapes `|` and `\`, so different cells never share a key. */
export function keyFromColumns(cells: Cells, indexes: readonly number[]): string | undefined {
  const [index] = indexes;
  if (indexes.length === 1 && index !== undefined) return filled(cells[index]) || undefined;
  const parts = indexes.map((place) => filled(cells[place]));
  if (parts.every((part) => part === '')) return undefined;
  return parts.map((part) => part.replace(/[\\|]/g, '\\$&')).join('|');
}

/** `https://www.acme.com/about` and `acme.com` get the same key. */
export function keyFromIdentifiers(row: Omit<KeyedRow, 'number'>, plan: RowPlan): string {
  const { cells, candidates } = row;
  const cellText = (index = -1) => cleanCell(cells[index] ?? '').toLowerCase();
  const identifiers =
    candidates.length > 0
      ? candidates.map(([kind, value]) => `${kind}:${value}`)
      : plan.identify.map(({ index }) => cellText(index));
  // The name, never what a register makes of it: a newer register would give the row another key.
  if (candidates.length === 0 && plan.name) {
    const { index, state, postcode } = plan.name;
    identifiers.push(`name:${foldName(cells[index] ?? '')}`, cellText(state), cellText(postcode));
  }
  const country = row.country ?? cellText(plan.country.index);
  // 64 bits are enough: of 37 million lists with a million rows, one has two equal hashes.
  return hash('sha256', JSON.stringify([country, ...identifiers]), 'hex').slice(0, 16);
}

function filled(cell = '') {
  const cleaned = cleanCell(cell);
  return isBlank(cleaned) ? '' : cleaned;
}

interface Repeats {
  rows: number;
  first: { readonly key: string; readonly numbers: readonly [number, number] } | undefined;
}

export function noRepeats(): Repeats {
  return { rows: 0, first: undefined };
}

/** A value below this is a row number. A repeated key has this plus the last number after `#`. */
const repeated = 2 ** 31;
const fullAt = 0.75;
const growth = 1.5;

/** A million keys need 18 MB; in a Map they would need 60 to 80 MB. */
export function createUniqueKeys() {
  let capacity = 1_024;
  let hashes = new BigUint64Array(capacity);
  let values = new Uint32Array(capacity);
  let taken = 0;

  const slotOf = (digest: bigint) => {
    let slot = Math.floor((Number(digest >> 11n) / 2 ** 53) * capacity);
    while (values[slot] !== 0 && hashes[slot] !== digest) slot = (slot + 1) % capacity;
    hashes[slot] = digest;
    return slot;
  };
  // Hashing a short text to a buffer takes twice as long.
  const find = (key: string) => slotOf(BigInt(`0x${hash('sha256', key, 'hex').slice(0, 16)}`));
  const grow = () => {
    const [oldHashes, oldValues] = [hashes, values];
    capacity = Math.ceil(capacity * growth);
    hashes = new BigUint64Array(capacity);
    values = new Uint32Array(capacity);
    for (const [slot, value] of oldValues.entries()) {
      if (value !== 0) values[slotOf(oldHashes[slot] ?? 0n)] = value;
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
      // The list may already contain `42#2` as a key.
      if (values[free] !== 0) continue;
      values[free] = number;
      values[slot] = repeated + count;
      return numbered;
    }
  };
}
