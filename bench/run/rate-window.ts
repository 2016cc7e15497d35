/** What the service has counted since it started. */
export interface Seen {
  readonly requests: number;
  readonly refused: number;
  /** The highest number of requests in any sliding second. */
  readonly mostInASecond: number;
  /** Time from the first request to the last. */
  readonly seconds: number;
}

/** Counts requests in every sliding second, and refuses those above the rate. */
export function createRateWindow(rate: number | undefined) {
  /** Arrival times, oldest first; those of the last second begin at index `oldest`. */
  let times: number[] = [];
  let oldest = 0;
  let requests = 0;
  let refused = 0;
  let mostInASecond = 0;
  let firstAt = 0;
  let lastAt = 0;

  return {
    /** Counts a request; false when it exceeds the rate. */
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
