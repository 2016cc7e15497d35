import { DossierError } from '../../errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import { withTimeout } from '../../runtime/retry.ts';
import { isRefused, isUnwilling } from './redis-trouble.ts';

/** Redis was unwilling; so long later it is asked again. */
const unwillingMs = 200;
/** So long it may be full for a moment. Answers that give way may have to be paid for again. */
const relieveAfterMs = 10_000;

export interface Patience {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Makes room in Redis, as far as that can be. */
  relieve(): Promise<void>;
}

/**
 * Does something in Redis, again and again while its memory is full or it is starting. The signal ends the
 * waiting, also for a Redis that is away.
 */
export async function patiently<Result>(
  work: () => Promise<Result>,
  { clock, relieve }: Patience,
  signal: AbortSignal,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += unwillingMs) {
    signal.throwIfAborted();
    try {
      return await withTimeout(work(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefused(error)) {
        const message = `Redis refuses what sharing needs: ${(error as Error).message}`;
        throw new DossierError('SHARE_REFUSED', message, { cause: error });
      }
      if (!isUnwilling(error)) throw error;
      if (waitedMs >= relieveAfterMs)
        await withTimeout(
          relieve().catch(() => {}),
          signal,
        );
      await clock.sleep(unwillingMs, signal);
    }
  }
}
