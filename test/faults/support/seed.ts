/** The only source of randomness of a round, so that the same seed gives the same round. */
export interface Seed {
  readonly value: number;
  /** A whole number from 0 up to, and without, `below`. */
  random(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function createSeed(value: number): Seed {
  // Mulberry32, because neighbouring seeds give unrelated numbers.
  let state = value >>> 0;
  const random = (below: number) => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return { value, random, pick: (items) => items[random(items.length)] as (typeof items)[number] };
}

/** DOSSIER_FAULT_ROUNDS is `long`, or a number of rounds for every case; short by default. */
export function roundsOf(short: number, long: number): number {
  const wish = process.env.DOSSIER_FAULT_ROUNDS ?? 'short';
  if (wish === 'short') return short;
  return wish === 'long' ? long : Number(wish);
}

/** Whether this is `npm run faults`. */
export const isLong = process.env.DOSSIER_FAULT_ROUNDS === 'long';

/**
 * The seed of the first round; each following round adds one. The short form always takes the same
 * seeds, so that only a change can make it fail; the long form takes new ones each time.
 */
export function firstSeed(): number {
  const { DOSSIER_FAULT_SEED: given, DOSSIER_FAULT_ROUNDS: rounds } = process.env;
  if (given !== undefined) return Number(given);
  return rounds === 'long' ? Math.floor(Math.random() * 2 ** 31) : 1;
}
