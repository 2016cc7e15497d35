export interface Clock {
  monotonicMs(): number;
  wallMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `setTimeout` fires immediately for longer delays. */
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

async function sleepOnce(ms: number, signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal?.reason);
  signal?.addEventListener('abort', giveUp, { once: true });
  // Timers drop fractions of a millisecond, so they would fire early.
  const timer = setTimeout(resolve, Math.ceil(ms));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
