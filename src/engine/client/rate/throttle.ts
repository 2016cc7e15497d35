import { DossierError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { formatDuration } from '../../../core/runtime/duration.ts';
import type { OnEvent } from '../client-event.ts';
import type { RunStop } from '../run-stop.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Fifty calls throttled together make the wait a little longer, which is no event of its own. */
const tellFromMs = 1_000;

/** How long all calls wait when the service throttles one; permits keep them back. */
export function openThrottle(maxWaitMs: number, clock: Clock, onEvent: OnEvent, runStop: RunStop) {
  let toldUntilMs = Number.NEGATIVE_INFINITY;
  let isOn = false;
  let waits = 0;
  /** Waits since the service last answered; each doubles the wait that we choose ourselves. */
  let waitsInARow = 0;
  let throttledSinceMs: number | undefined;

  const tell = (waitMs: number, isNews: boolean) => {
    const untilMs = clock.monotonicMs() + waitMs;
    const longerByMs = untilMs - toldUntilMs;
    if (longerByMs <= 0) return;
    toldUntilMs = untilMs;
    if (!isNews && longerByMs < tellFromMs) return;
    isOn = true;
    onEvent({ type: 'service.throttled', waitMs, untilMs: clock.wallMs() + waitMs });
  };

  return {
    /** A request leaves. Says how many waits there were before it. */
    noteLeaving(): number {
      if (isOn) onEvent({ type: 'gate.opened' });
      isOn = false;
      return waits;
    },
    /** A request was throttled that had left after so many waits. Says how long no other may leave. */
    noteThrottled(waitsBefore: number | undefined, retryAfterMs: number | undefined): number {
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
        return 0;
      }
      tell(waitMs, isFirst);
      return waitMs;
    },
    /** A call is wanted, but no request may leave for this time. */
    noteClosed(waitMs: number) {
      if (waitMs > maxWaitMs) runStop.stop(throttledTooLong(0, waitMs, maxWaitMs));
      else tell(waitMs, false);
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
