/**
 * What `npm run bench` knows of a bench: a module of this folder that exports `run`. It is listed in
 * main.ts and gives back one figure for each thing that it measured.
 */
export interface Bench {
  run(options: BenchOptions): Promise<Figure[]>;
}

export interface BenchOptions {
  /** Seconds instead of minutes, for continuous integration: the same code over less data. */
  isSmall: boolean;
  /** Hours instead of minutes, where a bench has such a form. */
  isLong: boolean;
  /** Says on standard error what is going on; a long bench is not silent. */
  tell(text: string): void;
}

/**
 * A measurement and the best that this machine could do at the same time. Machines differ and are
 * busy with other things, so the ratio is what counts; the two numbers are there to make it plain.
 */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** Medians over the rounds. */
  readonly figure: number;
  readonly ceiling: number;
  /** Median of the ratio of each round, and the lowest and highest of them. */
  readonly ratio: number;
  readonly spread: { readonly low: number; readonly high: number };
  readonly rounds: number;
  readonly goal?: Goal;
  /** What else was seen: memory, who was the bottleneck. */
  readonly notes?: readonly string[];
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/**
 * Whether the ratio is less than half as good as it was. Anything closer may be the machine: small
 * runs on shared ones differ by a third.
 */
export function hasCollapsed({ goal, ratio }: Figure, before: number): boolean {
  const isLessBetter = goal !== undefined && 'atMost' in goal;
  return isLessBetter ? ratio > before * 2 : ratio < before / 2;
}

export function isReached({ goal, ratio }: Figure): boolean {
  if (goal === undefined) return true;
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
}
