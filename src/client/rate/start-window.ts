import type { Clock } from '../../runtime/clock.ts';

export interface StartWindow {
  /** 0: there is room. Infinity: there will be once a reserved place is used or released. */
  msUntilRoom(): number;
  /** Takes a place for something that will start soon. */
  reserve(): void;
  /**
   * The reserved place is used now or up to `slackMs` later, and free a whole window after that.
   * Returns a function to be called when the request has left, should that have taken long.
   */
  start(slackMs: number): () => void;
  /** The reserved place is not needed. */
  release(): void;
}

/**
 * Remembers the last `capacity` starts by the monotonic clock. A place is taken from the moment it is
 * reserved until a whole window after the start, so however long the way to the socket is (a
 * handshake, a stall of the process), no window ever sees more than `capacity` starts.
 */
export function openStartWindow(
  { capacity, windowMs }: { readonly capacity: number; readonly windowMs: number },
  clock: Pick<Clock, 'monotonicMs'>,
): StartWindow {
  const starts = new Float64Array(capacity);
  let oldest = 0;
  let started = 0;
  let reserved = 0;

  return {
    msUntilRoom: () => {
      const now = clock.monotonicMs();
      while (started > 0 && now - (starts[oldest] ?? 0) >= windowMs) {
        oldest = (oldest + 1) % capacity;
        started -= 1;
      }
      if (started + reserved < capacity) return 0;
      return started > 0 ? (starts[oldest] ?? 0) + windowMs - now : Number.POSITIVE_INFINITY;
    },
    reserve: () => {
      reserved += 1;
    },
    start: (slackMs) => {
      reserved -= 1;
      const place = (oldest + started) % capacity;
      const holdFromNow = () => {
        // Starts are not sorted where slack differs: a place is then held longer, never shorter.
        starts[place] = clock.monotonicMs() + slackMs;
      };
      holdFromNow();
      started += 1;
      return holdFromNow;
    },
    release: () => {
      reserved -= 1;
    },
  };
}
