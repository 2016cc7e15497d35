/** A place in the window of a rate that several processes share. */
export interface SharedPlace {
  readonly index: number;
  /** What the window holds there until the request leaves. */
  readonly leavesBy: number;
}

export interface TakenPlaces {
  readonly places: readonly SharedPlace[];
  /** When to ask again, where no place was free. */
  readonly waitMs: number;
}

/**
 * Added to each window. The rate is enforced where requests arrive, and they arrive with jitter:
 * without a margin, a server that counts every sliding second sees R + 1 now and then.
 */
const marginMs = 12;
/** How long a place stays taken by a process that dies before it sends. */
const holdMs = 10_000;
/** A held place may be given back at any time, so a process asks again after this wait at the latest. */
const longestWaitMs = 100;

/** The requests that may leave in a window: never more in a second than the rate, rounded up. */
export function windowOf(perSecond: number): { capacity: number; windowMs: number } {
  const capacity = Math.ceil(perSecond);
  return { capacity, windowMs: (capacity / perSecond) * 1_000 + marginMs };
}

/** Takes up to `wanted` places of the window. */
export function takePlaces(
  leaves: number[],
  { capacity, windowMs }: { capacity: number; windowMs: number },
  wanted: number,
  nowMs: number,
): TakenPlaces {
  // The clock starts anew with the machine: a time too far ahead is from before its last start.
  const isTaken = (at: number) => at + windowMs > nowMs && at <= nowMs + holdMs;
  while (leaves.length > 0 && !isTaken(leaves.at(-1) ?? 0)) leaves.pop();
  const taken = leaves.filter(isTaken).sort((one, other) => one - other);
  const room = Math.min(wanted, capacity - taken.length);
  const places: SharedPlace[] = [];
  for (let index = 0; places.length < room; index += 1) {
    if (isTaken(leaves[index] ?? Number.NEGATIVE_INFINITY)) continue;
    const leavesBy = nowMs + holdMs;
    leaves[index] = leavesBy;
    places.push({ index, leavesBy });
  }
  const nextMs = (taken[taken.length - capacity] ?? nowMs) + windowMs - nowMs;
  return { places, waitMs: Math.min(longestWaitMs, Math.max(1, nextMs)) };
}
