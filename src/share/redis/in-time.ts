import type { Redis } from 'ioredis';
import { unlessAborted } from './patiently.ts';
import { asLoss } from './redis-trouble.ts';

/** Long enough for a restart of Redis while a run begins, and short enough for whoever wants to stop it. */
const openingMs = 20_000;

/** Ends what opens a share where Redis does not answer in time; commands alone would wait for ever. */
export async function inTime<Result>(
  redis: Redis,
  address: URL,
  opening: Promise<Result>,
): Promise<Result> {
  try {
    return await unlessAborted(opening, AbortSignal.timeout(openingMs));
  } catch (error) {
    redis.disconnect();
    // What was opening fails with the connection, and nobody waits for it any more.
    opening.catch(() => {});
    throw asLoss(address, error);
  }
}
