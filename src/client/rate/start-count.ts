import type { Clock } from '../../runtime/clock.ts';

/** Counts what leaves in a second where no rate does. */
export interface StartCount {
  /** True once a second. */
  add(): boolean;
  perSecond(): number;
}

export function openStartCount(clock: Pick<Clock, 'monotonicMs'>): StartCount {
  let beganAtMs = clock.monotonicMs();
  let count = 0;
  let lastPerSecond = 0;
  return {
    add() {
      count += 1;
      const passedMs = clock.monotonicMs() - beganAtMs;
      if (passedMs < 1_000) return false;
      lastPerSecond = (count * 1_000) / passedMs;
      beganAtMs += passedMs;
      count = 0;
      return true;
    },
    // Calls that have just begun are not yet a whole second's.
    perSecond: () => Math.max(lastPerSecond, count),
  };
}
