/** Whether a request is within the limit, and the facts for its RateLimit headers. */
export interface Grant {
  isAllowed: boolean;
  /** Requests left in the window that ends now. */
  remaining: number;
  /** Seconds, rounded up, until another request is certainly granted. */
  resetSeconds: number;
}

const windowMs = 1_000;

/**
 * Grants each key at most `rate` requests in any second. A ring buffer holds the times of the
 * requests that were granted within the last second. A refused request does not count.
 */
export function limitRequests(rate: number, now: () => number = () => performance.now()) {
  const rings = new Map<number, { times: Float64Array; head: number; used: number }>();

  return (key: number): Grant => {
    const ring = rings.get(key) ?? { times: new Float64Array(rate), head: 0, used: 0 };
    rings.set(key, ring);
    const time = now();
    const oldest = () => ring.times[ring.head] ?? 0;
    while (ring.used > 0 && time - oldest() >= windowMs) {
      ring.head = (ring.head + 1) % rate;
      ring.used -= 1;
    }
    const isAllowed = ring.used < rate;
    if (isAllowed) {
      ring.times[(ring.head + ring.used) % rate] = time;
      ring.used += 1;
    }
    const resetSeconds = Math.ceil(Math.round(oldest() + windowMs - time) / 1_000);
    return { isAllowed, remaining: rate - ring.used, resetSeconds };
  };
}
