import type { RowRecord } from '../../core/columns/run-records.ts';
import { shorten } from '../../core/values/format.ts';

export const rowClasses = [
  'failed',
  'mismatch',
  'invalid',
  'not_found',
  'suppressed',
  'open',
  'matched',
] as const;
export type RowSample = Record<(typeof rowClasses)[number], number[]>;

export function noRows(): RowSample {
  return Object.fromEntries(rowClasses.map((name) => [name, []])) as unknown as RowSample;
}

/** As many of each class as a report may need. */
const mostSampledRows = 200;

export function takeRow(sample: RowSample, { number, status, match }: RowRecord): void {
  const kept = sample[status === 'matched' && match === 'mismatch' ? match : status];
  if (kept.length < mostSampledRows) kept.push(number);
}

/** Removes direction marks, because they would reverse the text around them. */
export function clipText(text: string, longest: number): string {
  return shorten(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ''), longest);
}
