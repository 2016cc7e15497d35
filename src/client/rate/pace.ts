import Bottleneck from 'bottleneck';
import type { Clock } from '../../runtime/clock.ts';

/** Bottleneck is a few milliseconds late at most; a turn later than this means that the wall clock was set. */
const overdueMs = 250;

/** A rate that recovers changes all the time; the pace follows in steps. */
const worthChanging = 0.05;

/** Resolves when the next turn has come. One turn is asked for at a time. */
export type Pace = (intervalMs: number, signal: AbortSignal) => Promise<void>;

/**
 * Turns at even distances, kept by Bottleneck. It reads the wall clock: when that is set back by an hour, its
 * next turn comes an hour late. So an overdue turn is asked of a new limiter, which gives its first turn at
 * once; the window keeps the rate meanwhile.
 */
export function openPace(clock: Clock): Pace {
  let limiter: Bottleneck | undefined;
  let paceMs = 0;
  const drop = () => {
    // Dropping clears the timer of the turn. Its promise is not needed and may never settle.
    limiter?.stop({ dropWaitingJobs: true }).catch(() => {});
    limiter = undefined;
  };
  return async (intervalMs, signal) => {
    if (Math.abs(intervalMs - paceMs) > worthChanging * paceMs) drop();
    for (let isOverdue = true; isOverdue; ) {
      if (!limiter) {
        paceMs = intervalMs;
        limiter = new Bottleneck({ minTime: intervalMs });
      }
      const waiting = new AbortController();
      const turn = limiter.schedule(async () => false).catch(() => true);
      const overdue = clock
        .sleep(paceMs + overdueMs, AbortSignal.any([signal, waiting.signal]))
        .then(() => true);
      try {
        isOverdue = await Promise.race([turn, overdue]);
        if (isOverdue) drop();
      } catch (error) {
        drop();
        throw error;
      } finally {
        overdue.catch(() => {});
        waiting.abort();
      }
    }
  };
}
