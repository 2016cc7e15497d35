import type { Redis } from 'ioredis';
import { withTimeout } from '../../runtime/retry.ts';
import { asLoss, isRefused } from './redis-trouble.ts';

/** Long enough for a restart of Redis while a run begins, and short enough for whoever wants to stop it. */
const openingMs = 20_000;

/**
 * Ends what opens a share where Redis does not answer in time, or takes the password no more; commands alone
 * would wait for ever.
 */
export async function inTime<Result>(
  redis: Redis,
  address: URL,
  opening: Promise<Result>,
): Promise<Result> {
  const refused = new AbortController();
  const noteRefusal = (error: Error) => {
    if (isRefused(error)) refused.abort(error);
  };
  redis.on('error', noteRefusal);
  try {
    const giveUp = AbortSignal.any([AbortSignal.timeout(openingMs), refused.signal]);
    return await withTimeout(opening, giveUp);
  } catch (error) {
    redis.disconnect();
    // What was opening fails with the connection, and nobody waits for it any more.
    opening.catch(() => {});
    throw asLoss(address, error);
  } finally {
    redis.off('error', noteRefusal);
  }
}
