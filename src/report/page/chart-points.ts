import type { ReportTimeline } from '../report-data.ts';

/** What a chart over time draws: aligned lists, in seconds of work. */
export interface ChartPoints {
  readonly seconds: readonly number[];
  /** Place of each point in the timeline; undefined where nothing happened. */
  readonly places: readonly (number | undefined)[];
  /** Pauses that were left out, such as a night between two sessions of one run. */
  readonly pauses: number;
}

/** A silence of more slices than this is a pause and not a slow service. */
const longestSilence = 60;

/** Fills short silences with nothing, so that lines go down to it, and leaves long ones out. */
export function chartPoints({ startsAt, widthMs }: ReportTimeline): ChartPoints {
  const seconds: number[] = [];
  const places: (number | undefined)[] = [];
  let pauses = 0;
  let before: number | undefined;
  const add = (place: number | undefined) => {
    places.push(place);
    seconds.push((seconds.length * widthMs) / 1_000);
  };
  for (const [place, at] of startsAt.entries()) {
    const missing = before === undefined ? 0 : Math.round((at - before) / widthMs) - 1;
    if (missing > longestSilence) {
      pauses += 1;
      add(undefined);
    } else {
      for (let count = 0; count < missing; count += 1) add(undefined);
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
  return places.map((place) => (place === undefined ? empty : (values[place] ?? null)));
}
