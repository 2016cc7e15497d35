import Bottleneck from 'bottleneck';
import { withTimeout } from '../../../platform/retry.ts';

/**
 * Bottleneck grants one turn per interval. If a turn is overdue by more than this, the clock was
 * probably set back.
 */
const overdueMs = 250;

/** Ignores smaller changes, because a recovering rate changes constantly. */
const worthChanging = 0.05;

/**
 * Bottleneck uses the wall clock, which may be set back, so an overdue turn starts a new
 * Bottleneck.
 */
export function createPace() {
  let limiter: Bottleneck | undefined;
  let paceMs = 0;
  const drop = () => {
    // Not awaited, because the promise may never settle.
    limiter?.stop({ dropWaitingJobs: true }).catch(() => {});
    limiter = undefined;
  };
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
