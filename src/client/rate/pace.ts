import Bottleneck from 'bottleneck';
import type { Clock } from '../../runtime/clock.ts';

/** Bottleneck is a few milliseconds late at most; a turn later than this means that the wall clock was set. */
const overdueMs = 250;

/** A rate that recovers changes all the time; the pace follows in steps. */
const worthChanging = 0.05;

export interface Pace {
  /** Calls back when the next turn has come, so long after the last. One turn is asked for at a time. */
  next(intervalMs: number, onTurn: () => void): void;
  /** The turn is not wanted any more. */
  cancel(): void;
}

/**
 * Turns at even distances, kept by Bottleneck. It is wrapped because it reads the wall clock: when
 * that is set back by an hour, Bottleneck's next turn comes an hour late. A turn that is overdue by
 * the monotonic clock is dropped and asked of a new limiter, which gives its first turn at once; the
 * start window keeps the rate meanwhile. The same goes for a new interval.
 */
export function openPace(firstIntervalMs: number, clock: Clock): Pace {
  let intervalMs = firstIntervalMs;
  const openLimiter = () => new Bottleneck({ minTime: intervalMs });
  let limiter = openLimiter();
  let asked: AbortController | undefined;

  const cancel = () => {
    if (!asked) return;
    asked.abort();
    asked = undefined;
    // Dropping clears the timer of the turn; its promise is not needed and may never settle.
    limiter.stop({ dropWaitingJobs: true }).catch(ignoreDropped);
    limiter = openLimiter();
  };

  const next = (wantedMs: number, onTurn: () => void) => {
    if (asked) return;
    if (Math.abs(wantedMs - intervalMs) > worthChanging * intervalMs) {
      intervalMs = wantedMs;
      limiter = openLimiter();
    }
    const turn = new AbortController();
    asked = turn;
    const take = async () => {
      if (turn.signal.aborted) return;
      turn.abort();
      asked = undefined;
      onTurn();
    };
    limiter.schedule(take).catch(ignoreDropped);
    clock.sleep(intervalMs + overdueMs, turn.signal).then(
      () => {
        cancel();
        next(wantedMs, onTurn);
      },
      // The turn came or was cancelled first, which is how it nearly always goes.
      () => {},
    );
  };

  return { next, cancel };
}

function ignoreDropped(error: unknown): void {
  if (!(error instanceof Bottleneck.BottleneckError)) throw error;
}
