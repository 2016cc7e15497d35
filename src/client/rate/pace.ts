import Bottleneck from 'bottleneck';
import type { Clock } from '../../runtime/clock.ts';

/** Bottleneck is a few milliseconds late at most; a turn later than this means that the wall clock was set. */
const overdueMs = 250;

export interface Pace {
  /** Calls back when the next turn has come. One turn is asked for at a time. */
  next(onTurn: () => void): void;
  /** The turn is not wanted any more. */
  cancel(): void;
}

/**
 * Turns at even distances, kept by Bottleneck. It is wrapped because it reads the wall clock: when
 * that is set back by an hour, Bottleneck's next turn comes an hour late. A turn that is overdue by
 * the monotonic clock is dropped and asked of a new limiter, which gives its first turn at once; the
 * start window keeps the rate meanwhile.
 */
export function openPace(intervalMs: number, clock: Clock): Pace {
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

  const next = (onTurn: () => void) => {
    if (asked) return;
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
        next(onTurn);
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
