import { commonWords } from './fold-rules.ts';

/** What differs between two folds. Only `same` may be accepted without a person. */
export const differences = {
  same: 'same name',
  order: 'other word order',
  spacing: 'other spacing',
  letter: 'other spelling',
  missing: 'the register has more words',
  extra: 'the register has fewer words',
  number: 'other number',
  similar: 'similar',
} as const;

export type Difference = keyof typeof differences;

/** `share` says how alike they are, from 0 to 1. */
export function compareFolds(asked: string, known: string): { why: Difference; share: number } {
  if (asked === known) return { why: 'same', share: 1 };
  const [one, other] = [asked.split(' '), known.split(' ')];
  const share = sharedGrams(asked, known);
  if (numbersOf(one) !== numbersOf(other)) return { why: 'number', share: share * 0.8 };
  if (asked.replaceAll(' ', '') === known.replaceAll(' ', ''))
    return { why: 'spacing', share: 0.99 };
  if (one.toSorted().join(' ') === other.toSorted().join(' ')) return { why: 'order', share: 0.98 };
  const lacking = one.filter((word) => !other.includes(word));
  const added = other.filter((word) => !one.includes(word));
  if (lacking.length === 0) return { why: 'missing', share: withCommon(share, added) };
  if (added.length === 0) return { why: 'extra', share: withCommon(share, lacking) };
  const isSpelling = editsWithin(asked, known, 2);
  return isSpelling ? { why: 'letter', share: Math.max(share, 0.8) } : { why: 'similar', share };
}

/** A missing `services` or `group` matters less than another missing word. */
function withCommon(share: number, words: readonly string[]) {
  return words.every((word) => commonWords.has(word)) ? share + (1 - share) * 0.5 : share;
}

/** True for `3m` and `building services`: many companies may be called so. */
export function isCommonName(fold: string): boolean {
  return fold.length < 4 || uncommonWords(fold).length === 0;
}

export function uncommonWords(fold: string): string[] {
  return fold.split(' ').filter((word) => !commonWords.has(word));
}

function numbersOf(words: readonly string[]) {
  return words
    .filter((word) => /\d/.test(word))
    .sort()
    .join(' ');
}

/** Three letters each, with the start and end of each word: ` bl blu lue ue_`. */
function gramsOf(fold: string): Set<string> {
  const padded = ` ${fold} `;
  const grams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at += 1) {
    // A gram across two words would depend on their order.
    if (padded[at + 1] !== ' ') grams.add(padded.slice(at, at + 3));
  }
  return grams;
}

/** Grams of its uncommon words, because `services` finds everybody. */
export function distinctiveGrams(fold: string): Set<string> {
  const words = uncommonWords(fold);
  return gramsOf(words.length === 0 ? fold : words.join(' '));
}

function sharedGrams(asked: string, known: string) {
  const [one, other] = [gramsOf(asked), gramsOf(known)];
  return (2 * one.intersection(other).size) / (one.size + other.size);
}

/** Whether inserting, removing, replacing or swapping at most so many letters makes them equal. */
function editsWithin(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = one[row - 1] === other[at - 1];
      let edits = Math.min(
        (last[at] ?? 0) + 1,
        (current[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      if (isSwapped && row > 1 && at > 1) edits = Math.min(edits, (beforeLast[at - 2] ?? 0) + 1);
      current.push(edits);
    }
    if (Math.min(...current) > most) return false;
    beforeLast = last;
    last = current;
  }
  return (last[other.length] ?? most + 1) <= most;
}
