import { type Clock, systemClock } from './clock.ts';

export async function retry<Result>(
  work: (attempt: number) => Result | Promise<Result>,
  options: {
    canRetry(error: unknown, attempt: number): boolean;
    readonly waitMs: number | ((attempt: number, error: unknown) => number);
    /** Measured from the first attempt; unlimited by default. */
    readonly untilMs?: number;
    readonly signal?: AbortSignal | undefined;
    readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'>;
    onRetry?(error: unknown, elapsedMs: number): void | Promise<void>;
  },
): Promise<Result> {
  const { canRetry, waitMs, untilMs = Number.POSITIVE_INFINITY, signal, onRetry } = options;
  const { clock = systemClock } = options;
  const startedAt = clock.monotonicMs();
  for (let attempt = 1; ; attempt += 1) {
    // Ignores the signal before the first attempt, so a stopping run can still store its data.
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
