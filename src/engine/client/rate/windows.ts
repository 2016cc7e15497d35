import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import {
  type Allowed,
  allowedRate,
  changeState,
  joinSenders,
  leaveSenders,
  type RateState,
  type RateStore,
  releaseSlots,
  startSlot,
  takeSlots,
} from './rate-state.ts';

export interface Permit {
  /** Returns false if the permit has expired. */
  start(): boolean;
  /** Gives back a permit whose request was not sent. */
  release(): void;
}

/** A request that leaves later than this after getting its slot needs a new slot. */
const leaveMs = 50;
const blockedMs = 5;

interface Window {
  readonly store: RateStore;
  allowed: Allowed;
  opensAtMs: number;
  /** Requests sent since the last change; noting them in the store frees their slots sooner. */
  readonly started: { leaveByMs: number; leftAtMs: number }[];
}

interface Slots {
  readonly window: Window;
  readonly taken: number;
  readonly waitMs: number;
  /** The same moment on the clocks of store and process. */
  readonly leaveByMs: number;
  readonly ownLeaveByMs: number;
}

/** A permit takes a slot in every window, so the lowest rate and the longest wait apply. */
export function openWindows(
  stores: readonly RateStore[],
  clock: Clock,
  ceiling: number,
  onAllowed: (allowed: Allowed) => void,
) {
  const id = randomBytes(6).toString('base64url');
  const none: Allowed = { perSecond: ceiling, reason: 'ceiling' };
  const all = stores.map((store): Window => ({ store, allowed: none, opensAtMs: 0, started: [] }));
  let allowed = none;
  let opensAtMs = 0;
  let isBeating = false;
  let hasReadStores = false;

  const change = async (window: Window, rule: (state: RateState, askedAtMs: number) => void) => {
    // If the change fails, these slots stay taken too long, which is safe.
    const started = window.started.splice(0);
    await window.store.change((text, nowMs, askedAtMs = clock.monotonicMs()) =>
      changeState(text, nowMs, (state) => {
        joinSenders(state, id, ceiling);
        for (const { leaveByMs, leftAtMs } of started) startSlot(state, leaveByMs, leftAtMs);
        rule(state, askedAtMs);
        window.allowed = allowedRate(state, ceiling);
        window.opensAtMs = clock.monotonicMs() + state.closedUntilMs - nowMs;
        const rates = all.map((one) => one.allowed);
        allowed = rates.reduce((least, one) => (one.perSecond < least.perSecond ? one : least));
        opensAtMs = Math.max(...all.map((one) => one.opensAtMs));
      }),
    );
    onAllowed(allowed);
  };
  /** If the write fails, a later change brings the store up to date. */
  const update = (window: Window, rule: (state: RateState) => void) =>
    void change(window, rule).catch(() => {});
  const takeIn = async (window: Window, wanted: number) => {
    const withinMs = leaveMs + 2 * window.store.roundTripMs;
    let slots: Slots = { window, taken: 0, waitMs: blockedMs, leaveByMs: 0, ownLeaveByMs: 0 };
    await change(window, (state, askedAtMs) => {
      const leaveByMs = state.changedAtMs + withinMs;
      const { perSecond } = allowedRate(state, ceiling);
      const result = takeSlots(state, perSecond, wanted, leaveByMs);
      slots = { window, ...result, leaveByMs, ownLeaveByMs: askedAtMs + withinMs };
    });
    return slots;
  };
  const giveBack = ({ window, leaveByMs }: Slots, count: number) => {
    if (count > 0) update(window, (state) => releaseSlots(state, leaveByMs, count));
  };
  return {
    /** Takes up to `wanted` slots in every window. Each of them serves one request. */
    async take(wanted: number) {
      let count = wanted;
      let waitMs = 0;
      const taken: Slots[] = [];
      for (const window of all) {
        const slots = await takeIn(window, count);
        for (const earlier of taken) giveBack(earlier, count - slots.taken);
        count = slots.taken;
        waitMs = slots.waitMs;
        if (count === 0) break;
        taken.push(slots);
      }
      return { count, waitMs, slot: permitOf(taken, clock, giveBack) };
    },
    updateAll(rule: (state: RateState) => void) {
      for (const window of all) update(window, rule);
    },
    async beat() {
      if (isBeating) return;
      isBeating = true;
      try {
        for (const window of all) await change(window, () => {});
        hasReadStores = true;
      } finally {
        isBeating = false;
      }
    },
    allowed: () => allowed,
    opensAtMs: () => opensAtMs,
    hasReadStores: () => hasReadStores,
    close(hasJoined: boolean) {
      for (const window of all) {
        if (hasJoined) update(window, (state) => leaveSenders(state, id));
        window.store[Symbol.dispose]();
      }
    },
  };
}

/** Each of the slots serves one request. */
function permitOf(
  taken: readonly Slots[],
  clock: Clock,
  giveBack: (slots: Slots, count: number) => void,
): Permit {
  return {
    start() {
      if (taken.some(({ ownLeaveByMs }) => clock.monotonicMs() > ownLeaveByMs)) return false;
      // Note the time after the request is written. If the process stalls before the write, an
      // earlier time would free the slot too soon, and the service would count too many requests.
      queueMicrotask(() => {
        const leftMs = clock.monotonicMs();
        for (const { window, leaveByMs, ownLeaveByMs } of taken) {
          window.started.push({ leaveByMs, leftAtMs: leaveByMs - (ownLeaveByMs - leftMs) });
        }
      });
      return true;
    },
    release() {
      for (const slots of taken) giveBack(slots, 1);
    },
  };
}

export function openMemoryStore(clock: Clock): RateStore {
  let stored = '';
  return {
    roundTripMs: 0,
    change(update) {
      stored = update(stored, clock.monotonicMs());
    },
    [Symbol.dispose]() {},
  };
}
