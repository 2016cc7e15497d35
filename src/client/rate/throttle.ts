import { DossierError } from '../../errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { OnEvent } from '../client-event.ts';
import type { RunStop } from '../run-stop.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Fifty calls throttled together make the wait a little longer, which is no event of its own. */
const tellFromMs = 1_000;

/** The back-off that all calls share: when one is throttled, none leaves until it is over. */
export interface Throttle {
  /** A back-off has begun, and no call has waited until its end. */
  isBackingOff(): boolean;
  /** Waits until the back-off is over. */
  waitUntilOver(signal: AbortSignal): Promise<void>;
  /** How many back-offs there were before an attempt that leaves now; undefined during one. */
  backOffsSoFar(): number | undefined;
  /** An attempt was throttled that had left after so many back-offs. */
  noteThrottled(backOffsBefore: number, retryAfterMs: number | undefined): void;
  /** The service answered a call, so it is not throttling us for good. */
  noteAnswer(): void;
}

interface ThrottleOptions {
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly onEvent: OnEvent;
  readonly runStop: RunStop;
}

export function openThrottle({ maxWaitMs, clock, onEvent, runStop }: ThrottleOptions): Throttle {
  let overAtMs = Number.NEGATIVE_INFINITY;
  let isBackingOff = false;
  let backOffs = 0;
  /** Back-offs since the service last answered; each doubles the wait that we choose ourselves. */
  let backOffsInARow = 0;
  let throttledSinceMs: number | undefined;

  const isOver = () => clock.monotonicMs() >= overAtMs;

  return {
    isBackingOff: () => isBackingOff,
    waitUntilOver: async (signal) => {
      while (!isOver()) await clock.sleep(overAtMs - clock.monotonicMs(), signal);
      // All calls wait, and the first to go on tells of it.
      if (!isBackingOff) return;
      isBackingOff = false;
      onEvent({ type: 'gate.opened' });
    },
    backOffsSoFar: () => (isOver() ? backOffs : undefined),
    noteThrottled: (backOffsBefore, retryAfterMs) => {
      const now = clock.monotonicMs();
      // Fifty calls that were in flight when the back-off began are one throttling, not fifty.
      const isFirst = backOffsBefore === backOffs;
      if (isFirst) {
        backOffs += 1;
        backOffsInARow += 1;
      }
      const ownWaitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (backOffsInARow - 1));
      const waitMs = retryAfterMs ?? (isFirst ? ownWaitMs : 0);
      throttledSinceMs ??= now;
      // The later answers of one throttling repeat its wait; their waits do not add up.
      const pastMs = isFirst ? now - throttledSinceMs : 0;
      if (pastMs + waitMs > maxWaitMs) {
        runStop.stop(throttledTooLong(pastMs, waitMs, maxWaitMs));
        return;
      }
      const longerByMs = now + waitMs - overAtMs;
      if (longerByMs <= 0) return;
      overAtMs = now + waitMs;
      isBackingOff = true;
      if (!isFirst && longerByMs < tellFromMs) return;
      onEvent({ type: 'service.throttled', waitMs, untilMs: clock.wallMs() + waitMs });
    },
    noteAnswer: () => {
      throttledSinceMs = undefined;
      backOffsInARow = 0;
    },
  };
}

function throttledTooLong(pastMs: number, waitMs: number, maxWaitMs: number): DossierError {
  const past = pastMs >= 1_000 ? `has throttled every call for ${formatDuration(pastMs)} and ` : '';
  return new DossierError(
    'THROTTLED_TOO_LONG',
    `the service ${past}asks to wait ${formatDuration(waitMs)}; the job waits ${formatDuration(maxWaitMs)} at most`,
  );
}
