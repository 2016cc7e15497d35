import type { LoopWatch } from './sliding-second.ts';

export interface LimitingService {
  /** Whether a request that arrives now is more than the limit; it counts only where it is not. */
  refuses(atMs: number): boolean;
  /** Requests that were taken, and those that were refused, by their time. */
  readonly taken: readonly number[];
  readonly refused: readonly number[];
}

/**
 * Takes `limit` requests in every sliding second. The second is shortened by the longest time in which
 * this process did not run: requests that came one after the other are then read together.
 */
export function createLimitingService(limit: number, watch: LoopWatch): LimitingService {
  const taken: number[] = [];
  const refused: number[] = [];
  return {
    refuses(atMs) {
      const first = taken[taken.length - limit];
      const secondMs = 1_000 - watch.longestGapMs(atMs - 1_000, atMs);
      const isTooMany = first !== undefined && atMs - first < secondMs;
      (isTooMany ? refused : taken).push(atMs);
      return isTooMany;
    },
    taken,
    refused,
  };
}
