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

function classOf({ status, match }: RowRecord) {
  return status === 'matched' && match === 'mismatch' ? match : status;
}

export function takeRow(sample: RowSample, row: RowRecord): void {
  keepFirst(sample[classOf(row)], row.number, mostSampledRows);
}

/** False if it is unknown which row takes the place of `before`. */
export function replaceRow(sample: RowSample, before?: RowRecord, after?: RowRecord): boolean {
  if (before && after && classOf(before) === classOf(after)) return true;
  const hasLeft = !before || dropFrom(sample[classOf(before)], before.number, mostSampledRows);
  if (after) takeRow(sample, after);
  return hasLeft;
}

/** Keeps the first values, in order. */
export function keepFirst<Value extends number | string>(
  kept: Value[],
  value: Value,
  most: number,
) {
  const last = kept.at(-1);
  const isLater = last === undefined || value >= last;
  if (isLater && kept.length >= most) return;
  kept.push(value);
  if (isLater) return;
  kept.sort((one, other) => (one < other ? -1 : 1));
  kept.splice(most);
}

/** False if it is unknown which number follows. */
export function dropFrom(kept: number[], number: number, most: number): boolean {
  const at = kept.indexOf(number);
  if (at === -1) return kept.length === most;
  const isWhole = kept.length < most;
  kept.splice(at, 1);
  return isWhole;
}

/** Removes direction marks, because they would reverse the text around them. */
export function clipText(text: string, longest: number): string {
  return shorten(text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, ''), longest);
}
