import type { ReportTimeline } from '../../report-data.ts';

/** What a chart over time draws: aligned lists, in seconds of work. */
export interface ChartPoints {
  readonly seconds: readonly number[];
  /** Place of each point in the timeline, or why it has none. */
  readonly places: readonly (number | 'silence' | 'pause')[];
  /** Pauses that were left out, such as a night between two executions of one run. */
  readonly pauses: number;
}

/** A silence of more slices than this is a pause and not a slow service. */
const longestSilence = 60;

/** Fills short silences with nothing, so that lines go down to it, and leaves long ones out. */
export function chartPoints({ startsAt, widthMs }: ReportTimeline): ChartPoints {
  const seconds: number[] = [];
  const places: ChartPoints['places'][number][] = [];
  let pauses = 0;
  let before: number | undefined;
  const add = (place: ChartPoints['places'][number]) => {
    places.push(place);
    seconds.push((seconds.length * widthMs) / 1_000);
  };
  for (const [place, at] of startsAt.entries()) {
    const missing = before === undefined ? 0 : Math.round((at - before) / widthMs) - 1;
    if (missing > longestSilence) {
      pauses += 1;
      add('pause');
    } else {
      for (let count = 0; count < missing; count += 1) add('silence');
    }
    add(place);
    before = at;
  }
  return { seconds, places, pauses };
}

/** The values at the points; `empty` where nothing happened. */
export function valuesAt<Empty>(
  { places }: ChartPoints,
  values: readonly (number | null)[],
  empty: Empty,
): (number | null | Empty)[] {
  return places.map((place) => (typeof place === 'number' ? (values[place] ?? null) : empty));
}

/** A line goes on over what is undefined, and ends at null: after a pause a new one begins. */
export function valuesWithGaps(
  { places }: ChartPoints,
  values: readonly (number | null)[],
): (number | null | undefined)[] {
  return places.map((place) => {
    if (place === 'pause') return null;
    return place === 'silence' ? undefined : (values[place] ?? undefined);
  });
}

/** Where a value has no neighbour that a line could go to, and would not be seen. */
export function lonelyPlaces(values: readonly (number | null | undefined)[]): number[] {
  const lonely: number[] = [];
  let line: number[] = [];
  for (const [place, value] of [...values, null].entries()) {
    if (typeof value === 'number') line.push(place);
    if (value !== null) continue;
    if (line.length === 1) lonely.push(...line);
    line = [];
  }
  return lonely;
}
