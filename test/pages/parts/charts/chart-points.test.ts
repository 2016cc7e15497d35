import { expect, test } from 'vitest';
import {
  chartPoints,
  isolatedPoints,
  valuesAt,
  valuesWithGaps,
} from '../../../../src/pages/parts/charts/chart-points.ts';
import type { ReportTimeline } from '../../../../src/report/data/timeline-data.ts';

function points(...startsAt: number[]) {
  return chartPoints({ startsAt, widthMs: 1_000 } as unknown as ReportTimeline);
}

test('a short silence is drawn as zero', () => {
  const chart = points(5_000, 6_000, 9_000);
  expect(chart).toEqual({
    seconds: [0, 1, 2, 3, 4],
    slices: [0, 1, 'silence', 'silence', 2],
    pauses: 0,
  });
  expect(valuesAt(chart, [7, 8, 9], 0)).toEqual([7, 8, 0, 0, 9]);
});

test('a night before a run was resumed is counted as a pause and not drawn', () => {
  const { seconds, slices, pauses } = points(0, 86_400_000);
  expect([seconds, slices, pauses]).toEqual([[0, 1, 2], [0, 'pause', 1], 1]);
});

test('a line goes on over a silence and ends at a pause', () => {
  const chart = points(0, 2_000, 86_400_000);
  expect(valuesWithGaps(chart, [7, 8, 9])).toEqual([7, undefined, 8, null, 9]);
});

test('a value without a neighbour is drawn as a dot', () => {
  expect(isolatedPoints([7, undefined, 8, null, 9])).toEqual([4]);
  expect(isolatedPoints([undefined, 7, null, null, 8, 9])).toEqual([1]);
  expect(isolatedPoints([])).toEqual([]);
});
