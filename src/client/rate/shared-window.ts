import type { Clock } from '../../runtime/clock.ts';
import type { StartWindow } from './start-window.ts';

/** A place in the window of a rate that several processes share. */
export interface SharedPlace {
  readonly index: number;
  /** When it is free again, by the monotonic clock of the machine. */
  readonly untilMs: number;
}

/** What processes that share a rate know of each other's requests. */
export interface SharedStarts extends Disposable {
  /** Takes up to `wanted` places; where none is free, `waitMs` says when to ask again. */
  take(
    wanted: number,
    window: { readonly capacity: number; readonly windowMs: number },
  ): { readonly places: readonly SharedPlace[]; readonly waitMs: number };
  /** Requests for these places leave in `inMs`, which may be past. A place is free one window later. */
  start(places: readonly { place: SharedPlace; inMs: number }[], windowMs: number): void;
  /** No request leaves for these places. */
  release(places: readonly SharedPlace[]): void;
}

/** A place that was taken and not used in this time is given back, well before others may take it. */
const spareMs = 1_000;

/**
 * The window of all processes, as one of them sees it. Places are taken a turn's worth at a time, and
 * starts of one turn of the event loop are written together: each costs a transaction.
 */
export function openSharedWindow(
  starts: SharedStarts,
  window: { readonly capacity: number; readonly windowMs: number },
  placesPerTurn: number,
  clock: Pick<Clock, 'monotonicMs'>,
): StartWindow {
  let spare: SharedPlace[] = [];
  let takenAtMs = 0;
  const reserved: SharedPlace[] = [];
  let started: { place: SharedPlace; leavesAtMs: number }[] = [];

  const tell = () => {
    const now = clock.monotonicMs();
    const told = started.map(({ place, leavesAtMs }) => ({ place, inMs: leavesAtMs - now }));
    started = [];
    starts.start(told, window.windowMs);
  };
  return {
    msUntilRoom() {
      const now = clock.monotonicMs();
      if (spare.length > 0 && now - takenAtMs < spareMs) return 0;
      if (spare.length > 0) starts.release(spare);
      const { places, waitMs } = starts.take(placesPerTurn, window);
      takenAtMs = now;
      spare = [...places];
      return places.length > 0 ? 0 : waitMs;
    },
    reserve() {
      const place = spare.shift();
      if (place) reserved.push(place);
    },
    start(slackMs) {
      const place = reserved.shift();
      if (!place) return () => {};
      if (started.length === 0) setImmediate(tell);
      const start = { place, leavesAtMs: clock.monotonicMs() + slackMs };
      started.push(start);
      return () => {
        start.leavesAtMs = clock.monotonicMs() + slackMs;
      };
    },
    release() {
      const place = reserved.pop();
      if (place) starts.release([place]);
    },
  };
}

/** A window that has room only where both have it. */
export function joinWindows(own: StartWindow, shared: StartWindow): StartWindow {
  return {
    msUntilRoom: () => own.msUntilRoom() || shared.msUntilRoom(),
    reserve() {
      own.reserve();
      shared.reserve();
    },
    start(slackMs) {
      const [holdOwn, holdShared] = [own.start(slackMs), shared.start(slackMs)];
      return () => {
        holdOwn();
        holdShared();
      };
    },
    release() {
      own.release();
      shared.release();
    },
  };
}
