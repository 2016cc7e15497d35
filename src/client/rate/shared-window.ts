import type { Clock } from '../../runtime/clock.ts';
import type { SharedPlaces } from './shared-places.ts';
import type { StartWindow } from './start-window.ts';
import type { SharedPlace } from './take-places.ts';

/** A place that was taken and not used in this time is given back, well before others may take it. */
const spareMs = 1_000;

/**
 * The window of all processes, as one of them sees it. Places are taken a turn's worth at a time, and
 * starts of one turn of the event loop are written together: each costs a transaction.
 */
export function openSharedWindow(
  all: Pick<SharedPlaces, 'take' | 'start' | 'release'>,
  placesPerTurn: () => number,
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
    all.start(told);
  };
  return {
    msUntilRoom() {
      const now = clock.monotonicMs();
      if (spare.length > 0 && now - takenAtMs < spareMs) return 0;
      if (spare.length > 0) all.release(spare);
      const { places, waitMs } = all.take(placesPerTurn());
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
      if (place) all.release([place]);
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
