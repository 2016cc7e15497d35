import type { Permit, Permits } from '../../client/rate/permits.ts';
import type { SharedPlaces } from '../../client/rate/shared-places.ts';
import type { StartCount } from '../../client/rate/start-count.ts';
import { windowOf } from '../../client/rate/take-places.ts';
import type { Clock } from '../../runtime/clock.ts';
import { withTimeout } from '../../runtime/retry.ts';
import { type Patience, patiently } from '../redis/patiently.ts';
import type { RedisRate } from './redis-rate.ts';
import type { Place, RedisWindow } from './redis-window.ts';

export interface SharedPermitParts {
  readonly rate: RedisRate;
  readonly places: SharedPlaces;
  readonly window: RedisWindow;
  readonly starts: Pick<StartCount, 'add'>;
  readonly clock: Clock;
  readonly patience: Patience;
  /** A permit is wanted, but the quota of the service is spent for so long. */
  readonly onExhausted: (waitMs: number) => void;
}

/** A place that took longer to get may be too old: the process may have been stopped meanwhile. */
const staleMs = 100;
/** After so long it is looked again whether a request may leave. */
const longestSleepMs = 1_000;
/** With the 12 ms of a single machine, a busy service saw one request in 1,500 too early. */
const jitterMs = 20;

/** One permit of the rate of all machines for each request, in the order of asking. */
export function openSharedPermits(parts: SharedPermitParts): Omit<Permits, keyof Disposable> {
  const { rate, places, window, starts, clock, patience, onExhausted } = parts;
  let last: Promise<unknown> = Promise.resolve();

  const takePlace = async (signal: AbortSignal): Promise<Place | undefined> => {
    for (;;) {
      signal.throwIfAborted();
      const exhaustedMs = places.exhaustedMs();
      if (exhaustedMs > 0) {
        onExhausted(exhaustedMs);
        await clock.sleep(Math.min(exhaustedMs, longestSleepMs), signal);
        continue;
      }
      const { perSecond } = places.allowed();
      const isFree = perSecond === Number.POSITIVE_INFINITY;
      const askedAtMs = clock.monotonicMs();
      const take = () => window.take(rate.version, isFree ? undefined : sharedWindow(perSecond));
      const answer = await patiently(take, patience, signal);
      switch (answer.kind) {
        case 'outdated':
          rate.see(answer.version, answer.memory);
          places.look();
          break;
        case 'wait':
          // A throttle may be over sooner, where Redis has lost it.
          await clock.sleep(Math.min(answer.waitMs, longestSleepMs), signal);
          break;
        case 'taken':
          if (clock.monotonicMs() - askedAtMs < staleMs && !signal.aborted) {
            return isFree ? undefined : answer.place;
          }
          if (!isFree) window.release(answer.place);
      }
    }
  };
  return {
    take(signal) {
      const isFree = places.allowed().perSecond === Number.POSITIVE_INFINITY;
      // One asks at a time: others would only be told to wait.
      const before = last;
      const turn = isFree ? Promise.resolve() : withTimeout(before, signal);
      const taken = turn.then(() => takePlace(signal));
      if (isFree) starts.add();
      // Whoever gives up does not let others pass the one before it.
      else last = taken.then(() => {}).catch(() => before);
      return taken.then((place) => openPermit(window, place));
    },
    noteThrottled: places.noteThrottled,
    noteTaken: places.noteTaken,
    noteLimits: places.noteLimits,
  };
}

/** The window of a single machine, and room for what requests of several meet on their ways. */
function sharedWindow(perSecond: number) {
  const { capacity, windowMs } = windowOf(perSecond);
  return { capacity, windowMs: windowMs + jitterMs };
}

function openPermit(window: RedisWindow, place: Place | undefined): Permit {
  let isOpen = place !== undefined;
  const close = (how: (place: Place) => void) => {
    if (isOpen && place) how(place);
    isOpen = false;
  };
  return {
    start: (slackMs = 0) => close((taken) => window.start(taken, slackMs)),
    release: () => close(window.release),
  };
}
