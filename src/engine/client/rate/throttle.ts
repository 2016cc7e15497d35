import { DossierError } from '../../../core/errors.ts';
import { formatDuration } from '../../../core/values/duration.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { OnEvent } from '../client-event.ts';
import type { RunStop } from '../run-stop.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Calls throttled together lengthen the wait by less than 1 s, which is not worth a message. */
const announceFromMs = 1_000;

/** Counts and announces the waits that the service asks for, and stops the run at one too many. */
export interface Throttle {
  /** Returns the number of waits so far, which `nextWaitMs` compares. */
  noteLeaving(): number;
  nextWaitMs(waitsWhenSent: number, retryAfterMs: number | undefined): number;
  noteClosed(waitMs: number): void;
  noteAnswer(): void;
}

export function createThrottle(
  maxWaitMs: number,
  clock: Clock,
  onEvent: OnEvent,
  runStop: RunStop,
): Throttle {
  let announcedUntilMs = Number.NEGATIVE_INFINITY;
  let isOn = false;
  let waits = 0;
  let waitsInARow = 0;
  let throttledSinceMs: number | undefined;

  const announce = (waitMs: number, isNews: boolean) => {
    const untilMs = clock.monotonicMs() + waitMs;
    const longerByMs = untilMs - announcedUntilMs;
    if (longerByMs <= 0) return;
    announcedUntilMs = untilMs;
    if (!isNews && longerByMs < announceFromMs) return;
    isOn = true;
    const atMs = clock.wallMs() + waitMs;
    onEvent({ type: 'service.throttled', waitMs, untilMs: atMs, mostMs: maxWaitMs });
  };

  return {
    noteLeaving() {
      if (isOn) onEvent({ type: 'gate.opened' });
      isOn = false;
      return waits;
    },
    nextWaitMs(waitsWhenSent, retryAfterMs) {
      const now = clock.monotonicMs();
      // Fifty calls in flight when the wait began are one throttling, not fifty.
      const isFirst = waitsWhenSent === waits;
      if (isFirst) {
        waits += 1;
        waitsInARow += 1;
      }
      const ownWaitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (waitsInARow - 1));
      const waitMs = retryAfterMs ?? (isFirst ? ownWaitMs : 0);
      throttledSinceMs ??= now;
      const pastMs = isFirst ? now - throttledSinceMs : 0;
      if (pastMs + waitMs > maxWaitMs) {
        runStop.stop(throttledTooLong(pastMs, waitMs, maxWaitMs));
        return 0;
      }
      announce(waitMs, isFirst);
      return waitMs;
    },
    noteClosed(waitMs) {
      if (waitMs > maxWaitMs) runStop.stop(throttledTooLong(0, waitMs, maxWaitMs));
      else announce(waitMs, false);
    },
    noteAnswer() {
      throttledSinceMs = undefined;
      waitsInARow = 0;
    },
  };
}

function throttledTooLong(pastMs: number, waitMs: number, maxWaitMs: number) {
  const throttled = pastMs >= 1_000 ? `every call for ${formatDuration(pastMs)}` : 'a call';
  return new DossierError(
    'THROTTLED_TOO_LONG',
    `the service throttled ${throttled}; the next wait would be ${formatDuration(waitMs)}, and the job waits at most ${formatDuration(maxWaitMs)} in all`,
  );
}
