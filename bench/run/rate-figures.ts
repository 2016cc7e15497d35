import type { Figure } from '../harness/bench.ts';
import { compare } from '../harness/rounds.ts';
import type { Seen } from './rate-window.ts';

/** How well a rate was used and kept, as the service has seen it in each round. */
export function rateFigures(
  name: string,
  rate: number,
  seen: readonly Seen[],
  leastUse: number,
): Figure[] {
  const against = (numberOf: (seen: Seen) => number) =>
    compare(
      seen.map((measured) => ({ measured: numberOf(measured), ceiling: rate })),
      (number) => number,
    );
  const refused = seen.reduce((sum, each) => sum + each.refused, 0);
  return [
    {
      name: `${name} requests a second that were used`,
      unit: 'requests/s',
      // n requests are n - 1 intervals.
      ...against(({ requests, seconds }) => (requests - 1) / seconds),
      goal: { atLeast: leastUse },
      notes: [`${refused} requests were refused as too many`],
    },
    {
      name: `${name} most requests in a sliding second`,
      unit: 'requests',
      ...against(({ mostInASecond }) => mostInASecond),
      goal: { atMost: 1 },
    },
  ];
}
