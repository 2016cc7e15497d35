import Bottleneck from 'bottleneck';
import { withTimeout } from '../../../core/runtime/retry.ts';

/** Bottleneck is a few milliseconds late at most; a turn later than this means that the wall clock was set. */
const overdueMs = 250;

/** A rate that recovers changes all the time; the pace follows in steps. */
const worthChanging = 0.05;

/**
 * Turns at even distances, kept by Bottleneck, one asked for at a time. It reads the wall clock: when that is set
 * back by an hour, its next turn comes an hour late. So an overdue turn is asked of a new limiter, which gives its
 * first turn at once; the window keeps the rate meanwhile.
 */
export function openPace() {
  let limiter: Bottleneck | undefined;
  let paceMs = 0;
  const drop = () => {
    // Dropping clears the timer of the turn. Its promise is not needed and may never settle.
    limiter?.stop({ dropWaitingJobs: true }).catch(() => {});
    limiter = undefined;
  };
  /** Resolves when the next turn has come. */
  return async (intervalMs: number, signal: AbortSignal): Promise<void> => {
    if (Math.abs(intervalMs - paceMs) > worthChanging * paceMs) drop();
    for (;;) {
      if (!limiter) paceMs = intervalMs;
      limiter ??= new Bottleneck({ minTime: paceMs });
      const turn = limiter.schedule(async () => {});
      turn.catch(() => {});
      const overdue = new AbortController();
      const timer = setTimeout(() => overdue.abort(), paceMs + overdueMs);
      try {
        return await withTimeout(turn, AbortSignal.any([signal, overdue.signal]));
      } catch {
        drop();
        signal.throwIfAborted();
      } finally {
        clearTimeout(timer);
      }
    }
  };
}
