import { type TimelineSlice, widenSlices } from '../ledger/runs/timeline.ts';
import { type Histogram, mergeHistograms, quantileMs } from '../runtime/histogram.ts';
import type { ReportTimeline } from './data/timeline-data.ts';

/** More points would be noise, and so would points that stand for a call or two. */
const mostPoints = 150;
const fewestPoints = 24;
const attemptsInPoint = 6;

/** What the charts over time need; null for a run without calls. */
export function chartTimeline(kept: readonly TimelineSlice[]): ReportTimeline | null {
  const attempts = kept.reduce((sum, slice) => sum + slice.attempts, 0);
  const most = Math.min(mostPoints, Math.max(fewestPoints, attempts / attemptsInPoint));
  let slices = kept;
  while (slices.length > most) slices = widenSlices(slices, (slices[0]?.widthMs ?? 1) * 2);
  const [first] = slices;
  if (!first) return null;
  const sum = (read: (slice: TimelineSlice) => number) =>
    slices.reduce((total, slice) => total + read(slice), 0);
  return {
    widthMs: first.widthMs,
    startsAt: slices.map(({ startsAt }) => startsAt),
    answered: slices.map(({ answered }) => answered),
    failed: slices.map(({ failed }) => failed),
    retried: slices.map(({ retried }) => retried),
    throttled: slices.map(({ throttled }) => throttled),
    throttledMs: slices.map(({ throttledMs }) => Math.round(throttledMs)),
    p50: slices.map(({ latencies }) => rounded(latencies, 0.5)),
    p90: slices.map(({ latencies }) => rounded(latencies, 0.9)),
    p99: slices.map(({ latencies }) => rounded(latencies, 0.99)),
    whole: {
      attempts: sum(({ attempts }) => attempts),
      answered: sum(({ answered }) => answered),
      failed: sum(({ failed }) => failed),
      retried: sum(({ retried }) => retried),
      throttled: sum(({ throttled }) => throttled),
      throttledMs: Math.round(sum(({ throttledMs }) => throttledMs)),
      ...wholeLatency(slices),
    },
  };
}

function wholeLatency(slices: readonly TimelineSlice[]) {
  const all = slices.reduce<Histogram>(
    (merged, { latencies }) => mergeHistograms(merged, latencies),
    [],
  );
  return { p50: rounded(all, 0.5), p90: rounded(all, 0.9), p99: rounded(all, 0.99) };
}

/** Buckets are coarser than a tenth of a millisecond, so more digits would only pretend. */
function rounded(latencies: Histogram, share: number): number | null {
  const ms = quantileMs(latencies, share);
  return ms === undefined ? null : Math.round(ms * 10) / 10;
}
