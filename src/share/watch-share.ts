import type { Throttle } from '../client/rate/throttle.ts';
import type { RunStop } from '../client/run-stop.ts';
import { DossierError } from '../errors.ts';
import type { Clock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import type { Pulse } from './open-pulse.ts';
import type { Share } from './open-share.ts';
import { placeOf } from './redis/redis-trouble.ts';
import type { ShareOptions } from './share-options.ts';
import { stopError } from './stop/announced-stop.ts';
import type { OwnEvidence } from './stop/own-evidence.ts';

interface WatchParts {
  readonly share: ShareOptions;
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly runStop: RunStop;
  readonly throttle: Pick<Throttle, 'noteThrottled'>;
  readonly evidence: Pick<OwnEvidence, 'confirms'>;
}

const lookMs = 1_000;
/** A throttle that is longer by less is the same. */
const sameThrottleMs = 500;

/** Stops the run where others have to stop, too, and where it waits for longer than the job allows. */
export function watchShare(share: Share, parts: WatchParts): Disposable {
  const { clock, runStop, throttle, maxWaitMs } = parts;
  const where = placeOf(parts.share.address);
  const most = `the job waits ${formatDuration(maxWaitMs)} at most`;
  let throttledUntilMs = 0;
  let throttles = 0;

  share.onPulse(({ stop, closedMs }: Pulse) => {
    if (stop && parts.evidence.confirms(stop)) runStop.stop(stopError(stop));
    const untilMs = clock.monotonicMs() + closedMs;
    if (closedMs <= 0 || untilMs < throttledUntilMs + sameThrottleMs) return;
    throttledUntilMs = untilMs;
    throttle.noteThrottled(throttles, closedMs);
    throttles += 1;
  });
  const timer = setInterval(() => {
    const awayMs = clock.monotonicMs() - (share.awaySinceMs() ?? Number.POSITIVE_INFINITY);
    if (awayMs > maxWaitMs) {
      const message = `${where} has been away or full for ${formatDuration(awayMs)}; ${most}`;
      runStop.stop(new DossierError('SHARE_LOST', message));
    }
  }, lookMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
