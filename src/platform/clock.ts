export interface Clock {
  monotonicMs(): number;
  wallMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** `setTimeout` fires immediately for delays of more than 24 days. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    // Timers drop fractions of a millisecond, so they would fire early.
    const timer = setTimeout(resolve, Math.min(Math.ceil(ms), longestTimerMs));
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  },
};
