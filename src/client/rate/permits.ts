import type { Clock } from '../../runtime/clock.ts';
import { openPace } from './pace.ts';
import { joinWindows, openSharedWindow, type SharedStarts } from './shared-window.ts';
import { openStartWindow } from './start-window.ts';
import { openWaitingLine } from './waiting-line.ts';

export interface Permit {
  /** The request leaves now; slow ways add slack. Counts once, however often it is called. */
  start(slackMs?: number): void;
  /** The request will not leave. Does nothing after `start`. */
  release(): void;
}

export interface Permits {
  take(signal: AbortSignal): Promise<Permit>;
}

/**
 * Added to each second. The rate is enforced where requests arrive, and they arrive with jitter:
 * without a margin, a server that counts every sliding second sees R + 1 now and then.
 */
const marginMs = 12;

/** Bottleneck runs at most 300 to 400 jobs a second; above this, a turn grants several permits. */
const turnsPerSecond = 100;

/**
 * Turns come a tenth sooner than the rate alone would have them. Bottleneck does not make up for
 * time that the process was busy elsewhere, a commit here and a large answer there; this does, and
 * the window sees to it that it is never more than that.
 */
const turnShare = 0.9;

/** Without a rate, all calls share one permit. */
const freePermit: Promise<Permit> = Promise.resolve({ start: () => {}, release: () => {} });

/**
 * One permit for each attempt, in the order of asking and only when asked for. Two parts share the
 * work: the pace (Bottleneck) spreads permits evenly over the second, the start window looks again
 * at the moment of leaving, because evenly spread timers fire together after a stall.
 */
export function openPermits(rate: number | 'none', clock: Clock, shared?: SharedStarts): Permits {
  if (rate === 'none') {
    return { take: (signal) => (signal.aborted ? Promise.reject(signal.reason) : freePermit) };
  }

  // 0.5 is one every two seconds. Above 1 a fraction is left unused: 2.5 in every sliding second
  // can only mean 2.
  const capacity = Math.max(1, Math.floor(rate));
  const windowMs = (rate < 1 ? 1_000 / rate : 1_000) + marginMs;
  const permitsPerTurn = Math.ceil(capacity / turnsPerSecond);
  const own = openStartWindow(capacity, windowMs, clock);
  const window = shared
    ? joinWindows(own, openSharedWindow(shared, { capacity, windowMs }, permitsPerTurn, clock))
    : own;
  const pace = openPace((turnShare * permitsPerTurn * windowMs) / capacity, clock);
  const line = openWaitingLine<Permit>(() => {
    pace.cancel();
    waitForRoom?.abort();
  });
  /** Permits left of the last turn. A new turn replaces them, so unused turns do not add up. */
  let left = 0;
  let waitForRoom: AbortController | undefined;

  const serve = () => {
    while (line.length > 0) {
      if (left === 0) {
        pace.next(() => {
          left = permitsPerTurn;
          serve();
        });
        return;
      }
      const waitMs = window.msUntilRoom();
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
      const turn = line.join(signal);
      serve();
      return turn;
    },
  };
}
