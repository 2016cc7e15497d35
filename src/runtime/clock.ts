export interface Clock {
  /** Milliseconds that only grow; they know nothing of dates and of people who set clocks. */
  monotonicMs(): number;
  /** Milliseconds since 1970, as the machine believes; may jump. */
  wallMs(): number;
  /** Rejects with the signal's reason as soon as it aborts, and leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `setTimeout` fires at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: async (ms, signal) => {
    const endsAt = performance.now() + ms;
    for (;;) {
      const leftMs = endsAt - performance.now();
      await sleepOnce(Math.min(Math.max(0, leftMs), longestTimerMs), signal);
      if (leftMs <= longestTimerMs) return;
    }
  },
};

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    // Timers drop fractions and may fire early by one; rounding up keeps "not before" true.
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, Math.ceil(ms));
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
