import { expect } from 'vitest';

export interface LoopWatch extends Disposable {
  /** The last moment before this one at which the loop of this process was known to be free. */
  freeBefore(atMs: number): number;
  /** The longest time from one moment to the other in which this process got no turn. */
  longestGapMs(fromMs: number, toMs: number): number;
}

/** Knows when this process, and the service in it, was too busy to see a request arrive. */
export function watchLoop(): LoopWatch {
  const turns: number[] = [performance.now()];
  const timer = setInterval(() => turns.push(performance.now()), 1);
  const lastBefore = (atMs: number) => turns.findLastIndex((turn) => turn <= atMs);
  return {
    freeBefore: (atMs) => turns[lastBefore(atMs)] ?? atMs,
    longestGapMs(fromMs, toMs) {
      const between = turns.slice(Math.max(0, lastBefore(fromMs)), lastBefore(toMs) + 2);
      const gaps = between.map((turn, index) => turn - (between[index - 1] ?? turn));
      return Math.max(0, ...gaps);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Around a second, too, the machine may have been busy. */
const aroundMs = 50;

/**
 * No sliding second holds more requests than the rate, as the service saw them. A request may have
 * waited here while this process was busy, so its arrival counts from when that began; and the
 * second is shorter by the longest time for which the machine left us without a turn then, because
 * it does the same to the process that sends. On a quiet machine these are a few milliseconds.
 */
export function expectRateToHold(
  requests: readonly { readonly atMs: number }[],
  rate: number,
  watch: LoopWatch,
): void {
  const tooClose = requests
    .map(({ atMs }, index) => {
      const laterMs = requests[index + rate]?.atMs ?? Number.POSITIVE_INFINITY;
      const gapMs = watch.longestGapMs(atMs - aroundMs, Math.min(laterMs, atMs + 1_000) + aroundMs);
      return { betweenMs: laterMs - watch.freeBefore(atMs), gapMs };
    })
    .filter(({ betweenMs, gapMs }) => betweenMs < Math.max(300, 1_000 - gapMs));
  expect(tooClose, `times in which ${rate + 1} requests came`).toEqual([]);
}
