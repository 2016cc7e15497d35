import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.ts';

export interface FakeClock extends Clock {
  /** All waits in order, in milliseconds. */
  readonly sleeps: number[];
  advance(ms: number): void;
}

/** A clock whose waits take no time: a sleep of an hour returns at once and advances the clock. */
export function createFakeClock(wallStartMs = Date.parse('2026-08-22T00:00:00Z')): FakeClock {
  let now = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    advance: (ms) => {
      now += ms;
    },
    monotonicMs: () => now,
    wallMs: () => wallStartMs + now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      const wakesAt = now + ms;
      await nextTick();
      signal?.throwIfAborted();
      // Sleeps that start together end together, so the clock advances only once.
      now = Math.max(now, wakesAt);
    },
  };
}
