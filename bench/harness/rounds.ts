import type { Figure } from './bench.ts';

export interface Round<Result> {
  readonly measured: Result;
  readonly ceiling: Result;
}

/**
 * Measures both sides in turn, again and again, so that whatever else the machine does slows both
 * alike. Who goes first changes with each round. The first round warms up and is thrown away.
 */
export async function interleave<Result>(
  rounds: number,
  sides: { measured: () => Promise<Result>; ceiling: () => Promise<Result> },
): Promise<Round<Result>[]> {
  const results: Round<Result>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const isMeasuredFirst = round % 2 === 0;
    const early = isMeasuredFirst ? await sides.measured() : await sides.ceiling();
    const late = isMeasuredFirst ? await sides.ceiling() : await sides.measured();
    if (round === 0) continue;
    results.push(
      isMeasuredFirst ? { measured: early, ceiling: late } : { measured: late, ceiling: early },
    );
  }
  return results;
}

/** The numbers of a figure, from one number of each round. */
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
  return percentile(numbers, 0.5);
}

/** The number below which that share of the others lies. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[index] ?? Number.NaN;
}
