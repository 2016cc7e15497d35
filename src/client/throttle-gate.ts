import { DossierError } from '../errors.ts';
import type { Clock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import type { OnEvent } from './client-event.ts';
import type { RunStop } from './run-stop.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
/** Fifty calls throttled within a moment make the wait longer by that moment; nobody has to know. */
const tellFromMs = 1_000;

export interface ThrottleGate {
  /** Until somebody has waited and found it open. */
  isClosed(): boolean;
  /** Waits while the gate is closed. */
  waitUntilOpen(signal: AbortSignal): Promise<void>;
  /** To be shown when an attempt leaves; undefined while the gate is closed. */
  pass(): GatePass | undefined;
  /** An attempt that left with this pass was throttled. */
  close(pass: GatePass, retryAfterMs: number | undefined): void;
  /** The service answered a call, so it is not throttling us for good. */
  noteAnswer(): void;
}

/** Says how often the gate had closed when the attempt left. */
export interface GatePass {
  readonly closings: number;
}

interface GateOptions {
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly onEvent: OnEvent;
  readonly runStop: RunStop;
}

/** One gate for all calls: when one is throttled, all stay away. */
export function openThrottleGate({
  maxWaitMs,
  clock,
  onEvent,
  runStop,
}: GateOptions): ThrottleGate {
  let opensAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let closings = 0;
  /** Closings since the service last answered; each doubles the wait that we choose ourselves. */
  let closingsInARow = 0;
  let throttledSinceMs: number | undefined;

  const isOpen = () => clock.monotonicMs() >= opensAtMs;

  return {
    isClosed: () => isClosed,
    waitUntilOpen: async (signal) => {
      while (!isOpen()) await clock.sleep(opensAtMs - clock.monotonicMs(), signal);
      if (!isClosed) return;
      isClosed = false;
      onEvent({ type: 'gate.opened' });
    },
    pass: () => (isOpen() ? { closings } : undefined),
    close: (pass, retryAfterMs) => {
      const now = clock.monotonicMs();
      // Fifty calls that were on the wire when the gate closed are one throttling, not fifty.
      const isNews = pass.closings === closings;
      if (isNews) {
        closings += 1;
        closingsInARow += 1;
      }
      const ownWaitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (closingsInARow - 1));
      const waitMs = retryAfterMs ?? (isNews ? ownWaitMs : 0);
      throttledSinceMs ??= now;
      // Latecomers of a throttling repeat its wait; they do not add theirs to it.
      const pastMs = isNews ? now - throttledSinceMs : 0;
      if (pastMs + waitMs > maxWaitMs) {
        runStop.stop(throttledTooLong(pastMs, waitMs, maxWaitMs));
        return;
      }
      const longerByMs = now + waitMs - opensAtMs;
      if (longerByMs <= 0) return;
      opensAtMs = now + waitMs;
      isClosed = true;
      if (!isNews && longerByMs < tellFromMs) return;
      onEvent({ type: 'service.throttled', waitMs, untilMs: clock.wallMs() + waitMs });
    },
    noteAnswer: () => {
      throttledSinceMs = undefined;
      closingsInARow = 0;
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
