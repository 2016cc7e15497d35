import { DossierError } from '../../errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { formatDuration } from '../../runtime/duration.ts';
import type { OnEvent } from '../client-event.ts';
import type { RunStop } from '../run-stop.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Fifty calls throttled together make the wait a little longer, which is no event of its own. */
const tellFromMs = 1_000;

/** The throttle that all calls share: when one is throttled, none leaves until the wait is over. */
export function openThrottle(maxWaitMs: number, clock: Clock, onEvent: OnEvent, runStop: RunStop) {
  let overAtMs = Number.NEGATIVE_INFINITY;
  let isOn = false;
  let waits = 0;
  /** Waits since the service last answered; each doubles the wait that we choose ourselves. */
  let waitsInARow = 0;
  let throttledSinceMs: number | undefined;

  const begin = (waitMs: number, isNews: boolean) => {
    overAtMs = clock.monotonicMs() + waitMs;
    isOn = true;
    if (isNews) onEvent({ type: 'service.throttled', waitMs, untilMs: clock.wallMs() + waitMs });
  };
  const isOver = () => clock.monotonicMs() >= overAtMs;

  return {
    /** A wait has begun, and no call has gone on after it yet. */
    isOn: () => isOn,
    /** Waits until a call may leave. */
    async waitUntilOver(signal: AbortSignal) {
      while (!isOver()) await clock.sleep(overAtMs - clock.monotonicMs(), signal);
      // All calls wait, and the first to go on tells of it.
      if (!isOn) return;
      isOn = false;
      onEvent({ type: 'gate.opened' });
    },
    /** How many waits there were before an attempt that leaves now; undefined during one. */
    waitsSoFar: () => (isOver() ? waits : undefined),
    /** An attempt was throttled that had left after so many waits. False if the wait is too long for the run. */
    noteThrottled(waitsBefore: number | undefined, retryAfterMs: number | undefined): boolean {
      const now = clock.monotonicMs();
      // Fifty calls that were in flight when the wait began are one throttling, not fifty.
      const isFirst = waitsBefore === waits;
      if (isFirst) {
        waits += 1;
        waitsInARow += 1;
      }
      const ownWaitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (waitsInARow - 1));
      const waitMs = retryAfterMs ?? (isFirst ? ownWaitMs : 0);
      throttledSinceMs ??= now;
      // The later answers of one throttling repeat its wait; their waits do not add up.
      const pastMs = isFirst ? now - throttledSinceMs : 0;
      if (pastMs + waitMs > maxWaitMs) {
        runStop.stop(throttledTooLong(pastMs, waitMs, maxWaitMs));
        return false;
      }
      const longerByMs = now + waitMs - overAtMs;
      if (longerByMs <= 0) return true;
      begin(waitMs, isFirst || longerByMs >= tellFromMs);
      return true;
    },
    /** A call is wanted, but no request may leave for this time. */
    noteClosed(waitMs: number) {
      if (clock.monotonicMs() + waitMs - overAtMs < tellFromMs) return;
      if (waitMs > maxWaitMs) runStop.stop(throttledTooLong(0, waitMs, maxWaitMs));
      else begin(waitMs, true);
    },
    /** The service answered a call, so it is not throttling us for good. */
    noteAnswer() {
      throttledSinceMs = undefined;
      waitsInARow = 0;
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
