import Bottleneck from 'bottleneck';
import type { Clock } from '../runtime/clock.ts';

/** Bottleneck keeps its turns to a few milliseconds; later than this, the wall clock was set. */
const patienceMs = 250;

export interface Pace {
  /** Calls back when the next turn has come. One turn is asked for at a time. */
  next(onTurn: () => void): void;
  /** Nobody wants the turn any more. */
  cancel(): void;
}

/**
 * Turns at even distances, kept by Bottleneck. It is wrapped because it reads the wall clock: when
 * that is set back by an hour, the next turn would come an hour late. So a turn that is overdue by
 * the monotonic clock is taken from that limiter and asked of a fresh one. A fresh limiter gives
 * its first turn at once; that the rate still holds is the start window's work, not this one's.
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
    clock.sleep(intervalMs + patienceMs, turn.signal).then(
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
