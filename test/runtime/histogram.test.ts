import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addToHistogram,
  bucketEndsMs,
  bucketOf,
  mergeHistograms,
  quantileMs,
} from '../../src/runtime/histogram.ts';

const durations = fc.array(fc.double({ min: 0, max: 90_000, noNaN: true }), { minLength: 1 });

function histogramOf(all: readonly number[]): number[] {
  const counts: number[] = [];
  for (const ms of all) addToHistogram(counts, ms);
  return counts;
}

test.each([
  [0, 0],
  [1, 0],
  [1.2, 1],
  [60_000, bucketEndsMs.length - 1],
  [60_001, bucketEndsMs.length],
])('%d ms falls into bucket %d', (ms, place) => expect(bucketOf(ms)).toBe(place));

test('nothing measured has no percentile', () => {
  expect(quantileMs([], 0.5)).toBeUndefined();
  expect(quantileMs([0, 0], 0.5)).toBeUndefined();
});

test('a percentile lies in the bucket of the duration that it stands for', () => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.9, 0.99), (all, share) => {
      const sorted = all.toSorted((one, other) => one - other);
      const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      const place = bucketOf(exact);
      const found = quantileMs(histogramOf(all), share) ?? Number.NaN;
      expect(found).toBeGreaterThanOrEqual(bucketEndsMs[place - 1] ?? 0);
      expect(found).toBeLessThanOrEqual(bucketEndsMs[place] ?? 60_000);
    }),
  );
});

test('two histograms merged are the histogram of both', () => {
  fc.assert(
    fc.property(durations, durations, (one, other) => {
      const merged = mergeHistograms(histogramOf(one), histogramOf(other));
      expect(merged).toEqual(histogramOf([...one, ...other]));
    }),
  );
});
