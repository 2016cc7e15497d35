import type { Clock } from '../../../platform/clock.ts';
import type { OnEvent } from '../client-event.ts';
import { createPace } from './pace.ts';
import { type Allowed, closeGate, lowerRate, type RateStore, windowOf } from './rate-state.ts';
import { openMemoryStore, openWindows, type Permit } from './windows.ts';

/** Bottleneck can start only 300 to 400 turns per second, so a turn may grant several permits. */
const turnsPerSecond = 100;
/** Turns come 10% early, because Bottleneck does not make up for turns missed by a busy process. */
const turnShare = 0.9;
/** Never wait longer for a slot, because another process may return one earlier. */
const longestWaitMs = 100;
const beatMs = 1_000;

/** Each request needs one, so that all senders together keep the rate. */
export interface Permits extends Disposable {
  /** A promise only if the request must wait, because each promise costs time. */
  take(signal: AbortSignal): Permit | Promise<Permit>;
  /** If the service asked for the wait, all senders wait; otherwise only this process does. */
  slowDown(durationMs: number, waitMs: number, isAsked: boolean): void;
  allowed(): Allowed;
  closedMs(): number;
  beat(): Promise<void>;
}

/** Bottleneck only spreads permits evenly. The time windows in the rate stores enforce the rate. */
export function openPermits(
  rate: number | 'none',
  clock: Clock,
  {
    stores = [openMemoryStore(clock)],
    onEvent = () => {},
    onClosed = () => {},
  }: {
    readonly stores?: readonly RateStore[] | undefined;
    readonly onEvent?: OnEvent;
    readonly onClosed?: (waitMs: number) => void;
  } = {},
): Permits {
  const ceiling = ceilingOf(rate);
  const windows = openWindows(stores, clock, ceiling, reportRate(rate, ceiling, onEvent));
  let openHereAtMs = 0;
  const pace = createPace();
  let heartbeat: NodeJS.Timeout | undefined;
  let permitsLeft = 0;
  let requestsThisSecond = 0;
  let requestsLastSecond = 0;

  const closedMs = () =>
    Math.max(0, Math.max(windows.opensAtMs(), openHereAtMs) - clock.monotonicMs());
  const isFree = () =>
    windows.hasReadStores() &&
    windows.allowed().perSecond === Number.POSITIVE_INFINITY &&
    closedMs() === 0;
  const permitFor = ({ start, release }: Permit): Permit => ({
    start: () => closedMs() === 0 && start(),
    release() {
      // The next request in the queue can use this permit without waiting for a turn.
      permitsLeft += 1;
      release();
      void permitQueue.serve();
    },
  });
  const freePermit: Permit = { start: () => closedMs() === 0, release: () => {} };

  const permitQueue = createPermitQueue(async (signal) => {
    heartbeat ??= setInterval(() => {
      [requestsLastSecond, requestsThisSecond] = [requestsThisSecond, 0];
      windows.beat().catch(() => {});
    }, beatMs).unref();
    if (!windows.hasReadStores()) await windows.beat();
    if (isFree()) {
      permitQueue.grant(freePermit);
      return;
    }
    const shutMs = closedMs();
    if (shutMs > 0) {
      onClosed(shutMs);
      await clock.sleep(shutMs, signal);
      return;
    }
    if (permitsLeft === 0) {
      const turn = turnOf(windows.allowed());
      if (rate !== 'none') await pace(turn.intervalMs, signal);
      permitsLeft = turn.permits;
    }
    const { count, waitMs, slot } = await windows.take(Math.min(permitsLeft, permitQueue.length));
    permitsLeft -= count;
    const permit = permitFor(slot);
    for (let granted = 0; granted < count; granted += 1) {
      if (permitQueue.length > 0) permitQueue.grant(permit);
      else permit.release();
    }
    if (count === 0 && closedMs() === 0) {
      await clock.sleep(Math.min(waitMs, longestWaitMs), signal);
    }
  });

  return {
    take(signal) {
      requestsThisSecond += 1;
      if (permitQueue.length === 0 && isFree()) {
        signal.throwIfAborted();
        return freePermit;
      }
      return permitQueue.join(signal);
    },
    slowDown(durationMs, waitMs, isAsked) {
      openHereAtMs = Math.max(openHereAtMs, clock.monotonicMs() + waitMs);
      const sent = Math.max(requestsThisSecond, requestsLastSecond);
      windows.updateAll((state) => {
        lowerRate(state, { ceiling, leftAtMs: state.changedAtMs - durationMs, sent });
        if (isAsked && waitMs > 0) closeGate(state, waitMs);
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

/** Calls `grantSome` while callers wait. Its signal aborts when the last of them has given up. */
function createPermitQueue(grantSome: (signal: AbortSignal) => Promise<void>) {
  const waiting = new Set<(permit: Permit | Promise<never>) => void>();
  let abandoned = new AbortController();
  let isServing = false;

  const serve = async () => {
    if (isServing) return;
    isServing = true;
    try {
      while (waiting.size > 0) await grantSome(abandoned.signal);
    } catch (error) {
      // Errors other than an abort mean a broken store, so all callers fail.
      if (!abandoned.signal.aborted) for (const grant of waiting) grant(Promise.reject(error));
    } finally {
      isServing = false;
      if (abandoned.signal.aborted) abandoned = new AbortController();
    }
    if (waiting.size > 0) void serve();
  };
  return {
    serve,
    join: (signal: AbortSignal) =>
      new Promise<Permit>((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const leave = () => {
          waiting.delete(grant);
          reject(signal.reason);
          if (waiting.size === 0) abandoned.abort();
        };
        const grant = (permit: Permit | Promise<never>) => {
          waiting.delete(grant);
          signal.removeEventListener('abort', leave);
          resolve(permit);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(grant);
        void serve();
      }),
    grant(permit: Permit) {
      const [first] = waiting;
      first?.(permit);
    },
    get length() {
      return waiting.size;
    },
  };
}

/** Above 1, round down: 2.5 per sliding second can only mean 2. */
function ceilingOf(rate: number | 'none') {
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

function reportRate(rate: number | 'none', ceiling: number, onEvent: OnEvent) {
  let reported: Allowed = { perSecond: ceiling, reason: 'ceiling' };
  return (allowed: Allowed) => {
    if (allowed === reported) return;
    const { perSecond, reason } = allowed;
    const isFull = reason === 'ceiling';
    if (isFull && reported.reason === 'ceiling') return;
    const change = Math.abs(perSecond / reported.perSecond - 1);
    if (!isFull && reason === reported.reason && change < worthReporting) return;
    const type = perSecond < reported.perSecond ? 'rate.lowered' : 'rate.raised';
    reported = allowed;
    onEvent({ type, perSecond, ceiling: rate, reason });
  };
}
