import { randomBytes } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';
import { type Allowed, allowedRate, noteThrottled, passTime, withoutSender } from './adapt-rate.ts';
import { exhaustedMs, noteLimits, withPolicy } from './heed-limits.ts';
import { noMemory, parseMemory, type RateMemory } from './rate-memory.ts';
import { openPassedCount } from './stray/passed-count.ts';
import { expectsStray } from './stray/stray-refusals.ts';
import { type SharedPlace, type TakenPlaces, takePlaces, windowOf } from './take-places.ts';

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

/** The rate and its window as they are at present. */
export interface SharedPlaces extends Disposable {
  allowed(): Allowed;
  /** How long no request may leave, because the quota is spent. */
  exhaustedMs(): number;
  /** Looks whether another process has learned something. */
  look(): void;
  /** Takes up to `wanted` places. */
  take(wanted: number): TakenPlaces;
  /** Requests for these places leave in `inMs`, which may be past. */
  start(places: readonly { place: SharedPlace; inMs: number }[]): void;
  /** No request leaves for these places. */
  release(places: readonly SharedPlace[]): void;
  /** A request that took so long was throttled. True where the refusal has nothing to do with the rate. */
  noteThrottled(durationMs: number): boolean;
  /** The service has taken a request. */
  noteTaken(): void;
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
  /** Requests of the last second that took no place, because there was no rate. */
  readonly startedFreely: () => number;
  readonly onAllowed: (allowed: Allowed) => void;
}

/** How long to wait when another process was in the way. */
const busyWaitMs = 5;
/** After so many answers without a policy the service has none any more. */
const answersWithoutPolicy = 100;
/** Stray refusals seldom come one after the other: so many hold all calls. */
const mostStrayInARow = 2;

/** The places of a rate that adapts to the service, below a ceiling. */
export function openSharedPlaces(options: PlacesOptions): SharedPlaces {
  const { shared, clock, maxWaitMs, startedFreely, onAllowed } = options;
  const passed = openPassedCount(shared.nowMs);
  const sender = {
    id: randomBytes(6).toString('base64url'),
    ceiling: options.ceiling,
    get passed() {
      return passed.perSecond();
    },
  };
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
  const isFree = () => allowed.perSecond === Number.POSITIVE_INFINITY;
  const startedPerSecond = (leaves: readonly number[], nowMs: number) => {
    if (isFree()) return startedFreely();
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
      const freely = isFree() ? Math.ceil(startedFreely()) : 0;
      const nowMs = changeMemory(state, (stored, now) =>
        update(stored, now, startedPerSecond(state.leaves, now)),
      );
      // The service has counted what left before there was a rate.
      if (!isFree()) state.leaves.push(...Array<number>(freely).fill(nowMs));
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
      let taken: TakenPlaces = { places: [], waitMs: 0 };
      const isDone = shared.tryChange((state) => {
        const nowMs = changeMemory(state, (stored, now) => passTime(stored, sender, now));
        // The rate may just have come back where there is none to keep.
        if (isFree()) return;
        taken = takePlaces(state.leaves, windowOf(allowed.perSecond), wanted, nowMs);
      });
      onAllowed(allowed);
      return isDone ? taken : { places: [], waitMs: busyWaitMs };
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
    noteThrottled(durationMs) {
      const answered = passed.sinceRefusal();
      const inARow = passed.refuse();
      learn((stored, nowMs, started) => {
        const leftAtMs = nowMs - durationMs;
        return noteThrottled(stored, sender, {
          ...{ leftAtMs, startedPerSecond: started, answered, nowMs },
        });
      });
      return expectsStray(memory) && inARow <= mostStrayInARow;
    },
    noteTaken: passed.add,
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
