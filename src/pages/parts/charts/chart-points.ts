import type { ReportTimeline } from '../../../report/data/timeline-data.ts';

/** The points of a chart over time, as aligned lists. */
export interface ChartPoints {
  /** Time since the start of the run, without pauses. */
  readonly seconds: readonly number[];
  /** Index of the point's slice in the timeline, or why it has no slice. */
  readonly slices: readonly (number | 'silence' | 'pause')[];
  /** Pauses that are not drawn, such as a night before the run was resumed. */
  readonly pauses: number;
}

/** A longer gap in the timeline, in slices, means that the run was stopped, not that the service was slow. */
const maxSilence = 60;

/** Fills short gaps of the timeline with empty points and replaces each long one by a pause. */
export function chartPoints({ startsAt, widthMs }: ReportTimeline): ChartPoints {
  const seconds: number[] = [];
  const slices: ChartPoints['slices'][number][] = [];
  let pauses = 0;
  let before: number | undefined;
  const add = (slice: ChartPoints['slices'][number]) => {
    slices.push(slice);
    seconds.push((seconds.length * widthMs) / 1_000);
  };
  for (const [slice, at] of startsAt.entries()) {
    const missing = before === undefined ? 0 : Math.round((at - before) / widthMs) - 1;
    if (missing > maxSilence) {
      pauses += 1;
      add('pause');
    } else {
      for (let count = 0; count < missing; count += 1) add('silence');
    }
    add(slice);
    before = at;
  }
  return { seconds, slices, pauses };
}

/** The value of each point, and `empty` for a point without a slice. */
export function valuesAt<Empty>(
  { slices }: ChartPoints,
  values: readonly (number | null)[],
  empty: Empty,
): (number | null | Empty)[] {
  return slices.map((slice) => (typeof slice === 'number' ? (values[slice] ?? null) : empty));
}

/** The value of each point for a line that spans silences (undefined) and breaks at pauses (null). */
export function valuesWithGaps(
  { slices }: ChartPoints,
  values: readonly (number | null)[],
): (number | null | undefined)[] {
  return slices.map((slice) => {
    if (slice === 'pause') return null;
    return slice === 'silence' ? undefined : (values[slice] ?? undefined);
  });
}

/** Indexes of values without a neighbour. A line needs two values, so these are drawn as dots. */
export function isolatedPoints(values: readonly (number | null | undefined)[]): number[] {
  const isolated: number[] = [];
  let line: number[] = [];
  for (const [index, value] of [...values, null].entries()) {
    if (typeof value === 'number') line.push(index);
    if (value !== null) continue;
    if (line.length === 1) isolated.push(...line);
    line = [];
  }
  return isolated;
}
