import { shortHash } from './row-key.ts';

/** Rows whose key an earlier row has. */
export interface Repeats {
  rows: number;
  first: { readonly key: string; readonly numbers: readonly [number, number] } | undefined;
}

export function noRepeats(): Repeats {
  return { rows: 0, first: undefined };
}

export interface UniqueKeys {
  /** Gives a key as it is to the first row that has it, and with the next free `#2`, `#3` … to later ones. */
  take(key: string, number: number, repeats: Repeats): string;
}

/** Of each slot the value is the number of the first row, or how often its key was taken, marked so. */
const repeated = 2 ** 31;
const initialCapacity = 1_024;
const fullAt = 0.75;
const growth = 1.5;

/**
 * Remembers the hashes of keys in an open-addressed table of 12 bytes a slot: a million keys take 18 MB,
 * and in a Map 60 to 80. Hashing a key takes about a microsecond.
 */
export function openUniqueKeys(): UniqueKeys {
  let table = openTable(initialCapacity);
  let taken = 0;

  const makeRoom = () => {
    if (taken < table.capacity * fullAt) return;
    const grown = openTable(Math.ceil(table.capacity * growth));
    table.moveTo(grown);
    table = grown;
  };

  return {
    take(key, number, repeats) {
      makeRoom();
      const slot = table.find(key);
      const value = table.values[slot] ?? 0;
      if (value === 0) {
        table.values[slot] = number;
        taken += 1;
        return key;
      }
      repeats.rows += 1;
      const isFirstRepeat = value < repeated;
      if (isFirstRepeat) repeats.first ??= { key, numbers: [value, number] };
      let count = isFirstRepeat ? 1 : value - repeated;
      for (;;) {
        count += 1;
        const numbered = `${key}#${count}`;
        const free = table.find(numbered);
        // A row may hold such a key itself: 42#2.
        if (table.values[free] !== 0) continue;
        table.values[free] = number;
        taken += 1;
        table.values[slot] = repeated + count;
        return numbered;
      }
    },
  };
}

interface Table {
  readonly capacity: number;
  readonly values: Uint32Array;
  /** The slot of a key, or the free one where it belongs, which has its hash from here on. */
  find(key: string): number;
  moveTo(other: Table): void;
  findHash(high: number, low: number): number;
}

function openTable(capacity: number): Table {
  const highs = new Uint32Array(capacity);
  const lows = new Uint32Array(capacity);
  const values = new Uint32Array(capacity);
  const findHash = (high: number, low: number) => {
    let slot = Math.floor((high / 2 ** 32) * capacity);
    while (values[slot] !== 0 && !(highs[slot] === high && lows[slot] === low)) {
      slot = slot + 1 === capacity ? 0 : slot + 1;
    }
    highs[slot] = high;
    lows[slot] = low;
    return slot;
  };
  return {
    capacity,
    values,
    findHash,
    find(key) {
      const digits = shortHash(key);
      return findHash(
        Number.parseInt(digits.slice(0, 8), 16),
        Number.parseInt(digits.slice(8), 16),
      );
    },
    moveTo(other) {
      for (let slot = 0; slot < capacity; slot += 1) {
        const value = values[slot] ?? 0;
        if (value === 0) continue;
        other.values[other.findHash(highs[slot] ?? 0, lows[slot] ?? 0)] = value;
      }
    },
  };
}
