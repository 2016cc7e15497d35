import type { RowRecord } from '../../core/columns/run-records.ts';

/** Rows of a kind are shown together, so each kind has its own first rows. */
export const rowClasses = [
  'failed',
  'mismatch',
  'invalid',
  'not_found',
  'suppressed',
  'open',
  'matched',
] as const;
/** Numbers of the first rows of each class. */
export type RowSample = Record<(typeof rowClasses)[number], number[]>;

export function noRows(): RowSample {
  return Object.fromEntries(rowClasses.map((name) => [name, []])) as unknown as RowSample;
}

/** A page opens at once with this many; the files have them all. */
export const mostSampledRows = 3_000;

/** Keeps the first rows of each class. */
export function takeRow(sample: RowSample, { number, status, match }: RowRecord): void {
  const kept = sample[status === 'matched' && match === 'mismatch' ? match : status];
  if (kept.length < mostSampledRows) kept.push(number);
}

/**
 * Text for a page: cut with an ellipsis, never through the middle of a character, and without the
 * signs that turn around the direction of whatever stands beside it.
 */
export function clipText(text: string, longest: number): string {
  const plain = text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');
  if (plain.length <= longest) return plain;
  return `${plain.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
