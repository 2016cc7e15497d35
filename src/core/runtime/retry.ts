import { type Clock, systemClock } from './clock.ts';

/** Repeats `work` until it succeeds, fails for good, runs out of time, or the signal aborts. */
export async function retry<Result>(
  work: (attempt: number) => Result | Promise<Result>,
  options: {
    /** Whether another attempt may succeed. Any other error is thrown at once. */
    canRetry(error: unknown, attempt: number): boolean;
    /** The wait before the next attempt, or a function of the number of failed attempts and the last error. */
    readonly waitMs: number | ((attempt: number, error: unknown) => number);
    /** Give up and throw the last error after this much time; by default, never. */
    readonly untilMs?: number;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
    /** Called before each wait, with the time since the first attempt. */
    onRetry?(error: unknown, elapsedMs: number): void | Promise<void>;
  },
): Promise<Result> {
  const { canRetry, waitMs, untilMs = Number.POSITIVE_INFINITY, signal, onRetry } = options;
  const { clock = systemClock } = options;
  const startedAt = clock.monotonicMs();
  for (let attempt = 1; ; attempt += 1) {
    // The signal ends the waiting: what a stopping run still has to store gets its first attempt.
    try {
      return await work(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      const elapsedMs = clock.monotonicMs() - startedAt;
      if (!canRetry(error, attempt) || elapsedMs >= untilMs) throw error;
      await onRetry?.(error, elapsedMs);
      await clock.sleep(typeof waitMs === 'number' ? waitMs : waitMs(attempt, error), signal);
    }
  }
}

/** The result of `work`, or a rejection with the signal's reason, whichever comes first. */
export async function withTimeout<Result>(
  work: PromiseLike<Result>,
  timeout: number | AbortSignal,
): Promise<Result> {
  const signal = typeof timeout === 'number' ? AbortSignal.timeout(timeout) : timeout;
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
