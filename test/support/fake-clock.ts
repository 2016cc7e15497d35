import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../src/runtime/clock.ts';

export interface FakeClock extends Clock {
  /** Every wait that was asked for, in order. */
  readonly sleeps: number[];
  advance(ms: number): void;
}

/** A clock whose waits take no time: who sleeps for an hour wakes at once, an hour later. */
export function openFakeClock(wallStartMs = Date.parse('2026-08-22T00:00:00Z')): FakeClock {
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
      // Those who went to sleep together wake together.
      now = Math.max(now, wakesAt);
    },
  };
}
