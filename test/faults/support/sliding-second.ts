import { expect } from 'vitest';

export interface LoopWatch extends Disposable {
  /** The last time before this one at which the event loop of this process was known to be free. */
  freeBefore(atMs: number): number;
  /** The longest time between the two in which this process did not run. */
  longestGapMs(fromMs: number, toMs: number): number;
}

/** Records when this process, and the service in it, was too busy to notice a request. */
export function watchLoop(): LoopWatch {
  const turns: number[] = [performance.now()];
  const timer = setInterval(() => turns.push(performance.now()), 1);
  const lastBefore = (atMs: number) => turns.findLastIndex((turn) => turn <= atMs);
  const gapsBetween = (fromMs: number, toMs: number) => {
    const between = turns.slice(Math.max(0, lastBefore(fromMs)), lastBefore(toMs) + 2);
    return between.map((turn, index) => turn - (between[index - 1] ?? turn));
  };
  return {
    freeBefore: (atMs) => turns[lastBefore(atMs)] ?? atMs,
    longestGapMs: (fromMs, toMs) => Math.max(0, ...gapsBetween(fromMs, toMs)),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Margin around a second in which the machine may also have been busy. */
const aroundMs = 50;

/**
 * No sliding second holds more requests than the rate, as the service counts them. A request may wait
 * while this process is busy, so its arrival counts from the start of that time. The second is
 * shortened by the longest time in which this process did not run, because the machine does the same
 * to the process that sends. On a quiet machine both are a few milliseconds.
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
