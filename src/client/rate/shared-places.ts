import { randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';
import {
  type Allowed,
  allowedRate,
  exhaustedMs,
  noteLimits,
  noteThrottled,
  passTime,
  withoutSender,
  withPolicy,
} from './adapt-rate.ts';
import { noMemory, parseMemory, type RateMemory } from './rate-memory.ts';

/** What the processes that share a rate know of each other. One of them changes it at a time. */
export interface SharedRate extends Disposable {
  /** By the monotonic clock of the machine. */
  nowMs(): number;
  /** What is remembered of the rate; empty for nothing. */
  read(): string;
  /** False where another process was in the way. */
  tryChange(update: (state: SharedState) => void): boolean;
  change(update: (state: SharedState) => void): void;
}

interface SharedState {
  /** When requests have left, or will at the latest. */
  leaves: number[];
  memory: string;
}

/** A place in the window of a rate that several processes share. */
export interface SharedPlace {
  readonly index: number;
  /** What the window holds there until the request leaves. */
  readonly leavesBy: number;
}

/** The rate and its window as they are at present. */
export interface SharedPlaces extends Disposable {
  allowed(): Allowed;
  /** How long no request may leave, because the quota is spent. */
  exhaustedMs(): number;
  /** Looks whether another process has learned something. */
  look(): void;
  /** Takes up to `wanted` places; where none is free, `waitMs` says when to ask again. */
  take(wanted: number): { readonly places: readonly SharedPlace[]; readonly waitMs: number };
  /** Requests for these places leave in `inMs`, which may be past. */
  start(places: readonly { place: SharedPlace; inMs: number }[]): void;
  /** No request leaves for these places. */
  release(places: readonly SharedPlace[]): void;
  /** A request that took so long was throttled; `startedPerSecond` where the places do not tell. */
  noteThrottled(durationMs: number, startedPerSecond: number): void;
  /** What the headers of an answer tell; undefined for nothing. */
  noteLimits(limits: RateLimits | undefined): void;
}

interface PlacesOptions {
  readonly shared: SharedRate;
  /** Requests a second; Infinity for none. */
  readonly ceiling: number;
  readonly clock: Pick<Clock, 'wallMs'>;
  /** A quota that is spent for longer is not waited for before the service refuses a call. */
  readonly maxWaitMs: number;
  readonly onAllowed: (allowed: Allowed) => void;
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
/** How long to wait when another process was in the way. */
const busyWaitMs = 5;
/** After so many answers without a policy the service has none any more. */
const answersWithoutPolicy = 100;

/** The requests that may leave in a window: never more in a second than the rate, rounded up. */
export function windowOf(perSecond: number): { capacity: number; windowMs: number } {
  const capacity = Math.ceil(perSecond);
  return { capacity, windowMs: (capacity / perSecond) * 1_000 + marginMs };
}

/** The places of a rate that adapts to the service, below a ceiling. */
export function openSharedPlaces(options: PlacesOptions): SharedPlaces {
  const { shared, clock, maxWaitMs, onAllowed } = options;
  const sender = { id: randomBytes(6).toString('base64url'), ceiling: options.ceiling };
  let text = '';
  let memory = noMemory;
  let allowed: Allowed = { perSecond: sender.ceiling, reason: 'ceiling' };
  let untold = 0;
  let hasChanged = false;

  const remember = (current: RateMemory, nowMs: number) => {
    memory = current;
    allowed = allowedRate(memory, sender, nowMs);
  };
  const recall = (stored: string) => {
    if (stored === text) return memory;
    text = stored;
    return parseMemory(stored);
  };
  const changeMemory = (
    state: SharedState,
    update: (memory: RateMemory, nowMs: number) => RateMemory,
  ) => {
    const nowMs = shared.nowMs();
    const stored = recall(state.memory);
    const updated = update(stored, nowMs);
    if (updated !== stored) {
      text = JSON.stringify(updated);
      state.memory = text;
    }
    remember(updated, nowMs);
    hasChanged = true;
    return nowMs;
  };
  const startedPerSecond = (leaves: readonly number[], nowMs: number) => {
    if (!Number.isFinite(allowed.perSecond)) return 0;
    const { windowMs } = windowOf(allowed.perSecond);
    const started = leaves.filter((at) => at <= nowMs && at > nowMs - windowMs).length;
    return (started * 1_000) / windowMs;
  };
  const look = () => {
    remember(recall(shared.read()), shared.nowMs());
    onAllowed(allowed);
  };
  const learn = (update: (memory: RateMemory, nowMs: number, started: number) => RateMemory) => {
    // Most answers tell nothing new, and then nothing is written.
    if (update(memory, shared.nowMs(), 0) === memory) return;
    shared.change((state) => {
      changeMemory(state, (stored, nowMs) =>
        update(stored, nowMs, startedPerSecond(state.leaves, nowMs)),
      );
    });
    onAllowed(allowed);
  };
  look();

  return {
    allowed: () => allowed,
    exhaustedMs: () =>
      memory.exhausted ? exhaustedMs(memory.exhausted, shared.nowMs(), clock.wallMs()) : 0,
    look,
    take(wanted) {
      let places: SharedPlace[] = [];
      let waitMs = busyWaitMs;
      shared.tryChange((state) => {
        const nowMs = changeMemory(state, (stored, now) => passTime(stored, sender, now));
        // The rate has just come back, and there is none to keep.
        if (allowed.perSecond === Number.POSITIVE_INFINITY) waitMs = 0;
        else ({ places, waitMs } = takePlaces(state, windowOf(allowed.perSecond), wanted, nowMs));
      });
      onAllowed(allowed);
      return { places, waitMs };
    },
    start(places) {
      shared.change(({ leaves }) => {
        const nowMs = shared.nowMs();
        for (const { place, inMs } of places) {
          // A place that was held for too long may belong to another process by now.
          const isOurs = leaves[place.index] === place.leavesBy;
          leaves[isOurs ? place.index : leaves.length] = nowMs + inMs;
        }
      });
    },
    release(places) {
      shared.change(({ leaves }) => {
        for (const { index, leavesBy } of places) {
          if (leaves[index] === leavesBy) leaves[index] = Number.NEGATIVE_INFINITY;
        }
      });
    },
    noteThrottled(durationMs, started) {
      learn((stored, nowMs, startedByAll) =>
        noteThrottled(stored, sender, {
          leftAtMs: nowMs - durationMs,
          startedPerSecond: startedByAll || started,
          nowMs,
        }),
      );
    },
    noteLimits(limits) {
      untold = limits?.policies.length ? 0 : untold + 1;
      const isUntold = untold > answersWithoutPolicy && memory.policyRate !== undefined;
      if (isUntold) learn((stored) => withPolicy(stored, undefined));
      if (!limits) return;
      learn((stored, nowMs) =>
        noteLimits(stored, limits, sender, { nowMs, wallMs: clock.wallMs(), maxWaitMs }),
      );
    },
    [Symbol.dispose]() {
      if (hasChanged && memory.senders.some(({ id }) => id === sender.id)) {
        shared.change(
          (state) => void changeMemory(state, (stored) => withoutSender(stored, sender)),
        );
      }
      shared[Symbol.dispose]();
    },
  };
}

function takePlaces(
  state: SharedState,
  { capacity, windowMs }: { capacity: number; windowMs: number },
  wanted: number,
  nowMs: number,
): { places: SharedPlace[]; waitMs: number } {
  const { leaves } = state;
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

/** The rate of a process that shares it with no other. */
export function openOwnRate(clock: Pick<Clock, 'monotonicMs'>): SharedRate {
  const state: SharedState = { leaves: [], memory: '' };
  return {
    nowMs: clock.monotonicMs,
    read: () => state.memory,
    tryChange(update) {
      update(state);
      return true;
    },
    change: (update) => update(state),
    [Symbol.dispose]() {},
  };
}
