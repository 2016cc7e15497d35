import type { Clock } from '../../runtime/clock.ts';
import type { RateLimits } from '../judge/read-rate-limits.ts';
import type { Allowed } from './adapt-rate.ts';
import { openPace } from './pace.ts';
import { openOwnRate, openSharedPlaces, type SharedRate } from './shared-places.ts';
import { joinWindows, openSharedWindow } from './shared-window.ts';
import { openStartCount } from './start-count.ts';
import { openStartWindow } from './start-window.ts';
import { windowOf } from './take-places.ts';
import { openWaitingLine } from './waiting-line.ts';

export interface Permit {
  /** The request leaves now; slow ways add slack. Counts once, however often it is called. */
  start(slackMs?: number): void;
  /** The request will not leave. Does nothing after `start`. */
  release(): void;
}

export interface Permits extends Disposable {
  take(signal: AbortSignal): Promise<Permit>;
  /**
   * A request that took so long was throttled, which lowers the rate. True where the refusal has nothing to do
   * with the rate: then it need not hold other calls.
   */
  noteThrottled(durationMs: number): boolean;
  /** The service has taken a request. */
  noteTaken(): void;
  /** What the headers of an answer tell of the service's limits; undefined for nothing. */
  noteLimits(limits: RateLimits | undefined): void;
}

export interface PermitOptions {
  /** Shares the rate with other processes; without it, the rate is that of this process. */
  readonly shared?: SharedRate | undefined;
  readonly maxWaitMs?: number;
  /** Hears of the rate whenever it may have changed. */
  readonly onAllowed?: (allowed: Allowed) => void;
  /** A permit is wanted, but the quota of the service is spent for so long. */
  readonly onExhausted?: (waitMs: number) => void;
}

/** Bottleneck runs at most 300 to 400 jobs a second; above this, a turn grants several permits. */
const turnsPerSecond = 100;

/**
 * Turns come a tenth sooner than the rate alone would have them. Bottleneck does not make up for
 * time that the process was busy elsewhere, a commit here and a large answer there; this does, and
 * the window sees to it that it is never more than that.
 */
const turnShare = 0.9;

/** While the quota is spent, another process may hear first that it is whole again. */
const exhaustedWaitMs = 1_000;

/** Without a rate, all calls share one permit. */
const freePermit: Permit = { start: () => {}, release: () => {} };
const givenFreely = Promise.resolve(freePermit);

/**
 * One permit for each attempt, in the order of asking and only when asked for. Three parts share the
 * work: the pace (Bottleneck) spreads permits evenly over the second; the start window looks again at
 * the moment of leaving, because evenly spread timers fire together after a stall, and keeps the
 * ceiling; the shared window keeps the rate of all processes, which the service may lower.
 */
export function openPermits(
  rate: number | 'none',
  clock: Clock,
  {
    shared = openOwnRate(clock),
    maxWaitMs = Number.POSITIVE_INFINITY,
    onAllowed = () => {},
    onExhausted = () => {},
  }: PermitOptions = {},
): Permits {
  const ceiling = ceilingOf(rate);
  const hasCeiling = Number.isFinite(ceiling);
  const starts = openStartCount(clock);
  const places = openSharedPlaces({
    ...{ shared, ceiling, clock, maxWaitMs, onAllowed },
    startedFreely: starts.perSecond,
  });
  const isFree = () =>
    places.allowed().perSecond === Number.POSITIVE_INFINITY && places.exhaustedMs() === 0;

  let turn = turnOf(places.allowed());
  const placesPerTurn = () => turn.permits;
  const sharedWindow = openSharedWindow(places, placesPerTurn, clock);
  const window = hasCeiling
    ? joinWindows(openStartWindow(windowOf(ceiling), clock), sharedWindow)
    : sharedWindow;
  const pace = openPace(turn.intervalMs, clock);
  const line = openWaitingLine<Permit>(() => {
    pace.cancel();
    waitForRoom?.abort();
  });
  /** Permits left of the last turn. A new turn replaces them, so unused turns do not add up. */
  let left = 0;
  let waitForRoom: AbortController | undefined;

  const msUntilRoom = () => {
    const exhaustedMs = places.exhaustedMs();
    if (exhaustedMs === 0) return window.msUntilRoom();
    onExhausted(exhaustedMs);
    places.look();
    return Math.min(exhaustedMs, exhaustedWaitMs);
  };
  const serve = () => {
    while (line.length > 0) {
      if (isFree()) {
        line.serve(freePermit);
        continue;
      }
      if (left === 0) {
        turn = turnOf(places.allowed());
        // A job without a ceiling does not ask for evenness, and the window alone keeps the rate.
        if (!hasCeiling) left = turn.permits;
        else {
          pace.next(turn.intervalMs, () => {
            left = turn.permits;
            serve();
          });
          return;
        }
      }
      const waitMs = msUntilRoom();
      if (waitMs > 0) {
        serveAfter(waitMs);
        return;
      }
      left -= 1;
      window.reserve();
      line.serve(openPermit());
    }
  };

  const serveAfter = (waitMs: number) => {
    // Infinity: a permit that starts or is released calls `serve` again.
    if (waitForRoom || waitMs === Number.POSITIVE_INFINITY) return;
    const wait = new AbortController();
    waitForRoom = wait;
    clock
      .sleep(waitMs, wait.signal)
      .catch(() => {
        // The line is empty; there is nothing to serve and nothing to report.
      })
      .finally(() => {
        waitForRoom = undefined;
        serve();
      });
  };

  const openPermit = (): Permit => {
    let isOpen = true;
    const close = (how: () => void) => {
      if (!isOpen) return;
      isOpen = false;
      how();
      serve();
    };
    return {
      // The request is written in this turn. A process that is stopped just before that sends it
      // later than it says, so the window counts from the end of the turn.
      start: (slackMs = 0) => close(() => queueMicrotask(window.start(slackMs))),
      release: () => close(window.release),
    };
  };

  return {
    take: (signal) => {
      if (!hasCeiling && starts.add()) places.look();
      if (line.length === 0 && isFree()) {
        return signal.aborted ? Promise.reject(signal.reason) : givenFreely;
      }
      const permit = line.join(signal);
      serve();
      return permit;
    },
    noteThrottled: places.noteThrottled,
    noteTaken: places.noteTaken,
    noteLimits: places.noteLimits,
    [Symbol.dispose]: () => places[Symbol.dispose](),
  };
}

/** 0.5 is one every two seconds. Above 1 a fraction is left unused: 2.5 in every sliding second can only mean 2. */
export function ceilingOf(rate: number | 'none'): number {
  if (rate === 'none') return Number.POSITIVE_INFINITY;
  return rate < 1 ? rate : Math.floor(rate);
}

/** How many permits a turn grants, and how soon the next turn comes. */
export function turnOf({ perSecond }: Allowed): { permits: number; intervalMs: number } {
  if (perSecond === Number.POSITIVE_INFINITY) return { permits: 1, intervalMs: 0 };
  const { capacity, windowMs } = windowOf(perSecond);
  const permits = Math.ceil(capacity / turnsPerSecond);
  return { permits, intervalMs: (turnShare * permits * windowMs) / capacity };
}
