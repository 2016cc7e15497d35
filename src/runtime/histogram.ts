/** Counts of durations by bucket; buckets at the end that are empty may be left out. */
export type Histogram = readonly number[];

/** Where buckets end. What took longer than the last of them falls into one more. */
export const bucketEndsMs = [
  ...[1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700],
  ...[1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 60_000],
] as const;

/** The place of a duration: `0.4 → 0`, `1 → 0`, `1.2 → 1`. */
export function bucketOf(ms: number): number {
  const place = bucketEndsMs.findIndex((end) => ms <= end);
  return place === -1 ? bucketEndsMs.length : place;
}

export function addToHistogram(counts: number[], ms: number): void {
  const place = bucketOf(ms);
  while (counts.length <= place) counts.push(0);
  counts[place] = (counts[place] ?? 0) + 1;
}

export function mergeHistograms(one: Histogram, other: Histogram): number[] {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, place) => (one[place] ?? 0) + (other[place] ?? 0));
}

/**
 * The duration that this share of all stayed within, as near as the buckets tell: durations are
 * taken to lie evenly in theirs. Undefined where nothing was measured.
 */
export function quantileMs(counts: Histogram, share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const wanted = share * total;
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (count > 0 && before + count >= wanted) {
      const start = bucketEndsMs[place - 1] ?? 0;
      // Nothing is known of the last bucket but where it begins.
      const end = bucketEndsMs[place] ?? start;
      return start + (end - start) * ((wanted - before) / count);
    }
    before += count;
  }
  return undefined;
}
