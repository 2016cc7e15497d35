import type { Counted } from '../sinks/tally/counter.ts';
import type { Ranking } from './data/insight-data.ts';

/** The most frequent names first, at most so many. */
export function rankNames({ names, others }: Counted, most: number): Ranking {
  const sorted = names.toSorted(
    ([one, some], [other, more]) => more - some || (one < other ? -1 : 1),
  );
  const rest = sorted.slice(most);
  return {
    entries: sorted.slice(0, most).map(([name, count]) => ({ name, count })),
    otherNames: rest.length,
    otherCount: rest.reduce((sum, [, count]) => sum + count, others),
  };
}

/** The most frequent bands, in the order of the number that a band begins with: `1-10`, `11-50`, `51+`. */
export function rankBands(counted: Counted, most: number): Ranking {
  const ranking = rankNames(counted, most);
  const entries = ranking.entries.toSorted((one, other) => startOf(one.name) - startOf(other.name));
  return { ...ranking, entries };
}

function startOf(band: string): number {
  const [digits] = /\d[\d,.]*/.exec(band) ?? [];
  return digits === undefined ? Number.POSITIVE_INFINITY : Number(digits.replaceAll(/[,.]/g, ''));
}
