/** A module that main.ts lists. Its `run` returns one figure for each thing that it measures. */
export interface Bench {
  run(options: BenchOptions): Promise<Figure[]>;
}

export interface BenchOptions {
  /** Less data, so that the bench takes seconds instead of minutes, for continuous integration. */
  isSmall: boolean;
  /** A checkout of an earlier version, to measure beside this one; only some benches use it. */
  against: string | undefined;
  /** Of the list, instead of the usual number. */
  rows?: number | undefined;
  /** Of end-to-end, or nights with 1% changed, instead of the usual number. */
  rounds?: number | undefined;
  /** Prints progress on standard error. */
  tell(text: string): void;
}

/**
 * A measurement, and a ceiling that was measured on the same machine at the same time. Goals are
 * for the ratio of the two, because machines differ and are busy with other things.
 */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Figure and ceiling are medians over the rounds. */
  readonly figure: number;
  readonly ceiling: number;
  /** Median of the rounds' ratios; the range holds the lowest and the highest. */
  readonly ratio: number;
  readonly spread: { readonly low: number; readonly high: number };
  readonly rounds: number;
  readonly goal?: Goal;
  /** Further findings, such as memory or the bottleneck. */
  readonly notes?: readonly string[];
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/**
 * Whether even the best round is less than half as good as before. Rounds of a small run last less
 * than a second: a cold compiler or a busy neighbour spoils some of them, a real loss spoils all.
 */
export function hasCollapsed({ goal, spread }: Figure, before: number): boolean {
  const isLessBetter = goal !== undefined && 'atMost' in goal;
  return isLessBetter ? spread.low > before * 2 : spread.high < before / 2;
}

export function isReached({ goal, ratio }: Figure): boolean {
  if (goal === undefined) return true;
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
