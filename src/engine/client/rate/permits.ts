import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { OnEvent } from '../client-event.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';
import { openPace } from './pace.ts';
import { openPermitQueue } from './permit-queue.ts';
import {
  type Allowed,
  allowedRate,
  changeState,
  closeGate,
  joinSenders,
  leaveSenders,
  lowerRate,
  policyRate,
  type RateState,
  type RateStore,
  releaseSlots,
  startSlot,
  takeSlots,
  windowOf,
} from './rate-state.ts';

export interface Permit {
  /** Returns false if the permit has expired. */
  start(): boolean;
  /** Gives back a permit whose request was not sent. */
  release(): void;
}

/** Bottleneck runs at most 300 to 400 jobs per second, so a turn may grant several permits. */
const turnsPerSecond = 100;
/** Turns come 10% early, because Bottleneck does not make up for turns missed by a busy process. */
const turnShare = 0.9;
/** A request that is later than this needs a new slot. */
const leaveMs = 50;
/** Never wait longer, because other processes may return slots. */
const longestWaitMs = 100;
const blockedMs = 5;
const beatMs = 1_000;
/** Renews a policy before rate stores drop it after 60 s. */
const policyRenewMs = 10_000;
/** Services round resets to whole seconds, so a reset of 1 s or less is ignored. */
const shortestResetS = 1;

/** Bottleneck only spreads permits over the second. The windows of the stores enforce the rate. */
export function openPermits(
  rate: number | 'none',
  clock: Clock,
  {
    stores = [openMemoryStore(clock)],
    maxWaitMs = Number.POSITIVE_INFINITY,
    onEvent = () => {},
    onClosed = () => {},
  }: {
    readonly stores?: readonly RateStore[] | undefined;
    readonly maxWaitMs?: number;
    readonly onEvent?: OnEvent;
    readonly onClosed?: (waitMs: number) => void;
  } = {},
) {
  const onAllowed = reportRate(rate, onEvent);
  const ceiling = ceilingOf(rate);
  const windows = openWindows(stores, clock, ceiling, onAllowed);
  let openHereAtMs = 0;
  let policy = { perSecond: 0, sharedAtMs: 0 };
  const pace = openPace();
  const permitQueue = openPermitQueue<Permit>(() => waiting.abort());
  let waiting = new AbortController();
  let heartbeat: NodeJS.Timeout | undefined;
  let isServing = false;
  let permitsLeft = 0;
  let requestsThisSecond = 0;
  let requestsLastSecond = 0;

  const closedMs = () =>
    Math.max(0, Math.max(windows.openAtMs(), openHereAtMs) - clock.monotonicMs());
  const isUnlimited = () => windows.allowed().perSecond === Number.POSITIVE_INFINITY;
  const isFree = () => windows.hasReadStores() && isUnlimited() && closedMs() === 0;
  const freePermit: Permit = { start: () => closedMs() === 0, release: () => {} };
  const freePermitGranted = Promise.resolve(freePermit);
  const requestsPerSecond = () => Math.max(requestsThisSecond, requestsLastSecond);

  /** `leaveByMs` and `ownLeaveByMs` are the same moment on the clocks of store and process. */
  const takeIn = async (window: Window, wanted: number) => {
    const withinMs = leaveMs + 2 * window.store.roundTripMs;
    let slots = { window, taken: 0, waitMs: blockedMs, leaveByMs: 0, ownLeaveByMs: 0 };
    await windows.change(window, (state, askedAtMs) => {
      const leaveByMs = state.changedAtMs + withinMs;
      const { perSecond } = allowedRate(state, ceiling);
      const result = takeSlots(state, perSecond, wanted, leaveByMs);
      slots = { window, ...result, leaveByMs, ownLeaveByMs: askedAtMs + withinMs };
    });
    return slots;
  };
  type Slots = Awaited<ReturnType<typeof takeIn>>;
  const giveBack = ({ window, leaveByMs }: Slots, count: number) => {
    if (count > 0) windows.update(window, (state) => releaseSlots(state, leaveByMs, count));
  };
  const takeInAll = async (wanted: number) => {
    let count = wanted;
    const taken: Slots[] = [];
    for (const window of windows.all) {
      const slots = await takeIn(window, count);
      for (const earlier of taken) giveBack(earlier, count - slots.taken);
      count = slots.taken;
      if (count === 0) return { count, waitMs: slots.waitMs, permit: freePermit };
      taken.push(slots);
    }
    const permit: Permit = {
      start() {
        const nowMs = clock.monotonicMs();
        if (closedMs() > 0 || taken.some(({ ownLeaveByMs }) => nowMs > ownLeaveByMs)) return false;
        for (const { window, leaveByMs, ownLeaveByMs } of taken) {
          window.started.push({ leaveByMs, leftAtMs: leaveByMs - (ownLeaveByMs - nowMs) });
        }
        return true;
      },
      release() {
        // The next request in the queue then need not wait for a turn.
        permitsLeft += 1;
        for (const slots of taken) giveBack(slots, 1);
        void serve();
      },
    };
    return { count, waitMs: 0, permit };
  };

  const serveQueue = async () => {
    while (permitQueue.length > 0) {
      if (!heartbeat) {
        heartbeat = setInterval(() => {
          [requestsLastSecond, requestsThisSecond] = [requestsThisSecond, 0];
          windows.beat().catch(() => {});
        }, beatMs).unref();
      }
      if (!windows.hasReadStores()) await windows.beat();
      if (isFree()) {
        permitQueue.serve(freePermit);
        continue;
      }
      const shutMs = closedMs();
      if (shutMs > 0) {
        onClosed(shutMs);
        await clock.sleep(shutMs, waiting.signal);
        continue;
      }
      if (permitsLeft === 0) {
        const turn = turnOf(windows.allowed());
        if (rate !== 'none') await pace(turn.intervalMs, waiting.signal);
        permitsLeft = turn.permits;
      }
      const { count, waitMs, permit } = await takeInAll(Math.min(permitsLeft, permitQueue.length));
      permitsLeft -= count;
      for (let served = 0; served < count; served += 1) {
        if (permitQueue.length > 0) permitQueue.serve(permit);
        else permit.release();
      }
      if (count === 0 && closedMs() === 0) {
        await clock.sleep(Math.min(waitMs, longestWaitMs), waiting.signal);
      }
    }
  };
  const serve = async () => {
    if (isServing) return;
    isServing = true;
    try {
      await serveQueue();
    } catch (error) {
      // Errors other than an abort mean a broken store, so all callers fail.
      if (!waiting.signal.aborted) permitQueue.fail(error);
    } finally {
      isServing = false;
      if (waiting.signal.aborted) waiting = new AbortController();
    }
    if (permitQueue.length > 0) void serve();
  };

  return {
    take(signal: AbortSignal): Promise<Permit> {
      requestsThisSecond += 1;
      if (permitQueue.length === 0 && isFree()) {
        return signal.aborted ? Promise.reject(signal.reason) : freePermitGranted;
      }
      const permit = permitQueue.join(signal);
      void serve();
      return permit;
    },
    /** If the service asked for the wait, all senders wait; otherwise only this process does. */
    slowDown(durationMs: number, waitMs: number, isAsked: boolean) {
      openHereAtMs = Math.max(openHereAtMs, clock.monotonicMs() + waitMs);
      const sent = requestsPerSecond();
      windows.updateAll((state) => {
        lowerRate(state, { ceiling, leftAtMs: state.changedAtMs - durationMs, sent });
        if (isAsked && waitMs > 0) closeGate(state, waitMs);
      });
    },
    noteLimits({ policies, left: quota }: RateLimits) {
      const perSecond = policyRate(policies);
      const nowMs = clock.monotonicMs();
      const isKnown = perSecond === policy.perSecond && nowMs - policy.sharedAtMs < policyRenewMs;
      const resetMs =
        quota && quota.remaining < 1 && quota.resetS > shortestResetS ? quota.resetS * 1_000 : 0;
      const closes = resetMs > 0 && resetMs <= maxWaitMs && resetMs - closedMs() > 1_000;
      if (!closes && (perSecond === undefined || isKnown)) return;
      if (perSecond !== undefined) policy = { perSecond, sharedAtMs: nowMs };
      const sent = isUnlimited() ? requestsPerSecond() : 0;
      windows.updateAll((state) => {
        if (perSecond !== undefined) {
          if (sent > 0 && !state.policy) state.starts.push([state.changedAtMs, sent]);
          state.policy = { perSecond, atMs: state.changedAtMs };
        }
        if (closes) closeGate(state, resetMs);
      });
    },
    allowed: windows.allowed,
    closedMs,
    beat: windows.beat,
    [Symbol.dispose]() {
      clearInterval(heartbeat);
      windows.close(heartbeat !== undefined);
    },
  };
}

/** A permit takes a slot in every window, so the lowest rate and the longest wait apply. */
function openWindows(
  stores: readonly RateStore[],
  clock: Clock,
  ceiling: number,
  onAllowed: (allowed: Allowed) => void,
) {
  const id = randomBytes(6).toString('base64url');
  const none: Allowed = { perSecond: ceiling, reason: 'ceiling' };
  const all = stores.map((store): Window => ({ store, allowed: none, openAtMs: 0, started: [] }));
  let allowed = none;
  let openAtMs = 0;
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
        window.openAtMs = clock.monotonicMs() + state.closedUntilMs - nowMs;
        const rates = all.map((one) => one.allowed);
        allowed = rates.reduce((least, one) => (one.perSecond < least.perSecond ? one : least));
        openAtMs = Math.max(...all.map((one) => one.openAtMs));
      }),
    );
    onAllowed(allowed);
  };
  /** If the write fails, a later change brings the store up to date. */
  const update = (window: Window, rule: (state: RateState) => void) =>
    void change(window, rule).catch(() => {});
  return {
    all,
    change,
    update,
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
    openAtMs: () => openAtMs,
    hasReadStores: () => hasReadStores,
    close(hasJoined: boolean) {
      for (const { store } of all) {
        if (hasJoined) leaveStore(store, id).catch(() => {});
        store[Symbol.dispose]();
      }
    },
  };
}

interface Window {
  readonly store: RateStore;
  allowed: Allowed;
  openAtMs: number;
  /** Requests sent since the last change; noting them in the store frees their slots sooner. */
  readonly started: { leaveByMs: number; leftAtMs: number }[];
}

async function leaveStore(store: RateStore, id: string): Promise<void> {
  await store.change((text, nowMs) => changeState(text, nowMs, (state) => leaveSenders(state, id)));
}

export function openMemoryStore(clock: Pick<Clock, 'monotonicMs'>): RateStore {
  let stored = '';
  return {
    roundTripMs: 0,
    change(update) {
      stored = update(stored, clock.monotonicMs());
    },
    [Symbol.dispose]() {},
  };
}

/** Above 1, round down: 2.5 per sliding second can only mean 2. */
function ceilingOf(rate: number | 'none'): number {
  if (rate === 'none') return Number.POSITIVE_INFINITY;
  return rate < 1 ? rate : Math.floor(rate);
}

function turnOf({ perSecond }: Allowed) {
  if (perSecond === Number.POSITIVE_INFINITY) return { permits: 1, intervalMs: 0 };
  const { capacity, windowMs } = windowOf(perSecond);
  const permits = Math.ceil(capacity / turnsPerSecond);
  return { permits, intervalMs: (turnShare * permits * windowMs) / capacity };
}

const worthReporting = 0.05;

function reportRate(ceiling: number | 'none', onEvent: OnEvent): (allowed: Allowed) => void {
  const full = ceiling === 'none' ? Number.POSITIVE_INFINITY : ceiling;
  let reported: Allowed = { perSecond: full, reason: 'ceiling' };
  return (allowed) => {
    if (allowed === reported) return;
    const { perSecond, reason } = allowed;
    const isFull = reason === 'ceiling';
    if (isFull && reported.reason === 'ceiling') return;
    const change = Math.abs(perSecond / reported.perSecond - 1);
    if (!isFull && reason === reported.reason && change < worthReporting) return;
    const type = perSecond < reported.perSecond ? 'rate.lowered' : 'rate.raised';
    reported = allowed;
    onEvent({ type, perSecond, ceiling, reason });
  };
}
