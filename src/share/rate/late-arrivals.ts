/** Tells how late a request may have reached the service, by when its answer came. */
export interface LateArrivals {
  /** How much longer an answer took than nearly all of late; 0 for most. */
  lateMs(durationMs: number): number;
}

/** Answers that are compared. */
const compared = 100;
/** Of fewer answers nobody knows how long most take. */
const fewest = 20;
const usualShare = 0.9;
/** An answer may be slow for reasons of its own: it does not hold its place for longer than this. */
const mostLateMs = 100;

/**
 * A request that waits before a busy service arrives later than it has left, and the service counts it from its
 * arrival. So does its answer come later. Where times differ much by themselves, one in ten is held for nothing, which
 * costs a hundredth of the rate at most.
 */
export function openLateArrivals(): LateArrivals {
  const durations: number[] = [];
  let next = 0;
  return {
    lateMs(durationMs) {
      const sorted = durations.toSorted((one, other) => one - other);
      durations[next] = durationMs;
      next = (next + 1) % compared;
      if (sorted.length < fewest) return 0;
      const usualMs = sorted[Math.floor(sorted.length * usualShare)] ?? 0;
      return Math.min(mostLateMs, Math.max(0, durationMs - usualMs));
    },
  };
}
