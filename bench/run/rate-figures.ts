import type { Figure } from '../harness/bench.ts';
import type { MeasuredRound } from '../harness/quiet-rounds.ts';
import { compare } from '../harness/rounds.ts';
import type { Seen } from './rate-window.ts';

interface RateGoal {
  readonly rate: number;
  /** The share of the rate that is to be used. */
  readonly leastUse: number;
  /** The use is that of so many rounds, the least disturbed; the rate has to hold in all of them. */
  readonly rounds: number;
}

/** How well a rate was used and kept, as the service has seen it in each round; the least disturbed come first. */
export function rateFigures(
  name: string,
  { rate, leastUse, rounds }: RateGoal,
  measured: readonly MeasuredRound<Seen>[],
): Figure[] {
  const against = (some: typeof measured, numberOf: (seen: Seen) => number) =>
    compare(
      some.map(({ result }) => ({ measured: numberOf(result), ceiling: rate })),
      (number) => number,
    );
  const quiet = measured.slice(0, rounds);
  const refused = measured.reduce((sum, { result }) => sum + result.refused, 0);
  const stolen = `${percent(quiet[0]?.stolenShare)} to ${percent(quiet.at(-1)?.stolenShare)}`;
  return [
    {
      name: `${name} requests a second that were used`,
      unit: 'requests/s',
      // n requests are n - 1 intervals.
      ...against(quiet, ({ requests, seconds }) => (requests - 1) / seconds),
      goal: { atLeast: leastUse },
      notes: [
        `the quietest of ${measured.length} rounds: the host took ${stolen} of the CPU`,
        `${refused} requests were refused as too many in all rounds`,
      ],
    },
    {
      name: `${name} most requests in a sliding second`,
      unit: 'requests',
      ...against(measured, ({ mostInASecond }) => mostInASecond),
      goal: { atMost: 1 },
    },
  ];
}

function percent(share = 0): string {
  return `${Math.round(share * 100)}%`;
}
