import { expect, test } from 'vitest';
import { chartTimeline } from '../../src/report/chart-timeline.ts';

const slice = { widthMs: 1_000, attempts: 2, answered: 1, failed: 1, retried: 1, throttled: 0 };

test('a run that called nobody has no charts over time', () => {
  expect(chartTimeline([])).toBeNull();
});

test('slices become aligned lists, and the whole is the sum of its parts', () => {
  const timeline = chartTimeline([
    { ...slice, startsAt: 0, throttledMs: 10.4, latencies: [2] },
    { ...slice, startsAt: 1_000, throttledMs: 0, latencies: [] },
  ]);
  expect(timeline).toMatchObject({
    startsAt: [0, 1_000],
    answered: [1, 1],
    throttledMs: [10, 0],
    p50: [0.5, null],
    whole: { attempts: 4, answered: 2, failed: 2, retried: 2, throttledMs: 10, p99: 1 },
  });
});
