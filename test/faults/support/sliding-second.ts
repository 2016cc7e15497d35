import { expect } from 'vitest';

export interface LoopWatch extends Disposable {
  /** The last moment before this one at which the loop of this process was known to be free. */
  freeBefore(atMs: number): number;
  /** The longest time in which this process got no turn: what a crowded machine does to anybody. */
  longestGapMs(): number;
}

/** Knows when this process, and the service in it, was too busy to see a request arrive. */
export function watchLoop(): LoopWatch {
  const turns: number[] = [performance.now()];
  const timer = setInterval(() => turns.push(performance.now()), 1);
  return {
    freeBefore: (atMs) => turns[turns.findLastIndex((turn) => turn <= atMs)] ?? atMs,
    longestGapMs: () =>
      turns.reduce((longest, turn, i) => Math.max(longest, turn - (turns[i - 1] ?? turn)), 0),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/**
 * No sliding second holds more requests than the rate, as the service saw them. A request may have
 * waited here while this process was busy, so its arrival counts from when that began; and the
 * second is shorter by the longest time for which the machine left us without a turn, because it
 * does the same to the process that sends. On a quiet machine these are a few milliseconds.
 */
export function expectRateToHold(
  requests: readonly { readonly atMs: number }[],
  rate: number,
  watch: LoopWatch,
): void {
  const leastMs = Math.max(300, 1_000 - watch.longestGapMs());
  const tooClose = requests
    .map(({ atMs }, index) => {
      const later = requests[index + rate];
      return later === undefined ? leastMs : later.atMs - watch.freeBefore(atMs);
    })
    .filter((betweenMs) => betweenMs < leastMs);
  expect(tooClose, `times in which ${rate + 1} requests came`).toEqual([]);
}
