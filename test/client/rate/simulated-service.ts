import { openOwnRate, openSharedPlaces } from '../../../src/client/rate/shared-places.ts';

interface Simulation {
  /** Requests that the service takes in every sliding second. */
  readonly limit: number;
  readonly ceiling: number;
  readonly minutes: number;
  readonly processes?: number;
  readonly latencyMs?: number;
  /** Whether a refused request counts in the second, too. */
  readonly countsRefused?: boolean;
  /** The share of requests that it refuses whatever the rate is. */
  readonly strayShare?: number;
  /** Whether it asks for a wait of a second each time. */
  readonly asksToWait?: boolean;
}

interface Sent {
  readonly answeredAtMs: number;
  readonly process: number;
  readonly leftAtMs: number;
  readonly isRefused: boolean;
}

const turnShare = 0.9;
/** The wait after a throttle that names none. */
const throttledMs = 1_000;

/**
 * Processes that always have a request to send, on one ledger, in virtual time. Gives what the service
 * saw after the first minute.
 */
export function simulateService(simulation: Simulation) {
  const { limit, ceiling, minutes, processes = 1, latencyMs = 50, strayShare = 0 } = simulation;
  const random = openRandom();
  let now = 0;
  const shared = openOwnRate({ monotonicMs: () => now });
  const senders = Array.from({ length: processes }, () => ({
    places: openSharedPlaces({
      shared,
      ceiling,
      clock: { wallMs: () => now },
      maxWaitMs: 600_000,
      startedFreely: () => 0,
      onAllowed: () => {},
    }),
    asksAtMs: 0,
  }));
  const underWay: Sent[] = [];
  const counted: number[] = [];
  let taken = 0;
  let refused = 0;

  const receive = () => {
    while ((counted[0] ?? now) <= now - 1_000) counted.shift();
    const isStray = strayShare > 0 && random() < strayShare;
    const isRefused = isStray || counted.length >= limit;
    if (!isRefused || simulation.countsRefused) counted.push(now);
    if (now >= 60_000) {
      taken += isRefused ? 0 : 1;
      refused += isRefused ? 1 : 0;
    }
    return isRefused;
  };

  while (now < minutes * 60_000) {
    for (const [process, sender] of senders.entries()) {
      if (sender.asksAtMs > now) continue;
      const { places, waitMs } = sender.places.take(1);
      if (places.length === 0) {
        sender.asksAtMs = now + Math.ceil(waitMs);
        continue;
      }
      sender.places.start(places.map((place) => ({ place, inMs: 0 })));
      // Permits come at even distances: a wait that all calls share costs what would have left meanwhile.
      const { perSecond } = sender.places.allowed();
      if (strayShare > 0) sender.asksAtMs = now + Math.floor((turnShare * 1_000) / perSecond);
      const isRefused = receive();
      underWay.push({ answeredAtMs: now + latencyMs, process, leftAtMs: now, isRefused });
    }
    const wakesAt = Math.min(...senders.map(({ asksAtMs }) => asksAtMs));
    now = Math.max(now + 1, Math.min(wakesAt, underWay[0]?.answeredAtMs ?? wakesAt));
    while (underWay[0] && underWay[0].answeredAtMs <= now) {
      const { process, isRefused, leftAtMs } = underWay.shift() as Sent;
      const sender = senders[process];
      if (!isRefused) sender?.places.noteTaken();
      if (!isRefused || !sender) continue;
      const isStray = sender.places.noteThrottled(now - leftAtMs);
      if (isStray && !simulation.asksToWait) continue;
      sender.asksAtMs = Math.max(sender.asksAtMs, now + throttledMs);
    }
  }
  return {
    ...simulation,
    refusedShare: refused / (taken + refused),
    usedShare: taken / ((minutes - 1) * 60 * limit),
  };
}

/** The same numbers each time (mulberry32). */
function openRandom(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
