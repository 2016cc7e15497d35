/** What the service has seen since it was started. */
export interface Seen {
  readonly requests: number;
  readonly refused: number;
  /** Most requests that came within one second, wherever that second begins. */
  readonly mostInASecond: number;
  /** From the first request to the last. */
  readonly seconds: number;
}

/** Counts requests in every sliding second, and refuses those above the rate. */
export function openRateWindow(rate: number | undefined) {
  /** The times of the last second, oldest first, from `oldest` on. */
  let times: number[] = [];
  let oldest = 0;
  let requests = 0;
  let refused = 0;
  let mostInASecond = 0;
  let firstAt = 0;
  let lastAt = 0;

  return {
    /** False where the request is above the rate. */
    take(): boolean {
      requests += 1;
      lastAt = performance.now();
      if (requests === 1) firstAt = lastAt;
      if (rate === undefined) return true;
      while (oldest < times.length && lastAt - (times[oldest] ?? 0) >= 1_000) oldest += 1;
      if (oldest > 10_000) {
        times = times.slice(oldest);
        oldest = 0;
      }
      times.push(lastAt);
      const inASecond = times.length - oldest;
      if (inASecond > mostInASecond) mostInASecond = inASecond;
      if (inASecond <= rate) return true;
      refused += 1;
      return false;
    },
    seen: (): Seen => ({ requests, refused, mostInASecond, seconds: (lastAt - firstAt) / 1_000 }),
  };
}
