import type { Figure } from './bench.ts';

export interface Round<Result> {
  readonly measured: Result;
  readonly ceiling: Result;
}

/**
 * Measures all sides in turn, round by round, so that other work of the machine slows them alike.
 * The order changes with each round. The first round warms up and does not count.
 */
export async function takeTurns<Side extends string, Result>(
  rounds: number,
  sides: Readonly<Record<Side, () => Promise<Result>>>,
): Promise<Record<Side, Result>[]> {
  const results: Record<Side, Result>[] = [];
  const names = Object.keys(sides) as Side[];
  for (let round = 0; round <= rounds; round += 1) {
    const found: Partial<Record<Side, Result>> = {};
    for (const name of round % 2 === 0 ? names : names.toReversed())
      found[name] = await sides[name]();
    if (round > 0) results.push(found as Record<Side, Result>);
  }
  return results;
}

/** Computes the numbers of a figure from one number of each round. */
export function compare<Result>(
  rounds: readonly Round<Result>[],
  numberOf: (result: Result) => number,
): Pick<Figure, 'figure' | 'ceiling' | 'ratio' | 'spread' | 'rounds'> {
  const ratios = rounds.map((round) => numberOf(round.measured) / numberOf(round.ceiling));
  return {
    figure: median(rounds.map(({ measured }) => numberOf(measured))),
    ceiling: median(rounds.map(({ ceiling }) => numberOf(ceiling))),
    ratio: median(ratios),
    spread: { low: Math.min(...ratios), high: Math.max(...ratios) },
    rounds: rounds.length,
  };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
