import type { Clock } from '../runtime/clock.ts';

/** Counts the time during which no request leaves, as it passes. */
export interface ThrottledTime {
  /** No request leaves for so long from now on. */
  begin(waitMs: number): void;
  /** Tells what has passed since it was last told. */
  update(): void;
  /** Requests leave again. */
  end(): void;
}

export function openThrottledTime(
  clock: Pick<Clock, 'monotonicMs'>,
  tell: (seconds: number) => void,
): ThrottledTime {
  /** The part of the present throttle that is not told yet. */
  let pause: { sinceMs: number; untilMs: number } | undefined;
  const tellUntil = (untilMs: number) => {
    if (!pause) return;
    const passedMs = Math.max(0, untilMs - pause.sinceMs);
    tell(passedMs / 1_000);
    pause.sinceMs += passedMs;
  };
  // The end of a throttle raises no event when no call waits for it.
  const update = () => {
    if (pause) tellUntil(Math.min(clock.monotonicMs(), pause.untilMs));
  };
  return {
    begin(waitMs) {
      update();
      const sinceMs = clock.monotonicMs();
      pause = { sinceMs, untilMs: sinceMs + waitMs };
    },
    update,
    end() {
      tellUntil(clock.monotonicMs());
      pause = undefined;
    },
  };
}
