import type { Throttle } from '../client/rate/throttle.ts';
import type { RunStop } from '../client/run-stop.ts';
import { DossierError } from '../errors.ts';
import type { Clock } from '../runtime/clock.ts';
import { formatDuration } from '../runtime/duration.ts';
import type { Pulse } from './open-pulse.ts';
import type { Share } from './open-share.ts';
import { listPresent } from './presence/presence.ts';
import { placeOf } from './redis/redis-trouble.ts';
import type { ShareOptions } from './share-options.ts';
import { stopError } from './stop/announced-stop.ts';
import type { OwnEvidence } from './stop/own-evidence.ts';
import type { RedisListener } from './watch-redis.ts';

interface WatchParts {
  readonly share: ShareOptions;
  readonly maxWaitMs: number;
  readonly bringsWorker: boolean;
  readonly clock: Clock;
  readonly runStop: RunStop;
  readonly throttle: Pick<Throttle, 'noteThrottled'>;
  readonly listener: Pick<RedisListener, 'onIdle'>;
  readonly evidence: Pick<OwnEvidence, 'confirms'>;
}

const lookMs = 1_000;
/** Workers that are started together with a run are there by then. */
const longestSilenceMs = 10_000;
/** A throttle that is longer by less is the same. */
const sameThrottleMs = 500;

/** Stops the run where others have to stop, too, and where it waits for longer than the job allows. */
export function watchShare(share: Share, parts: WatchParts): Disposable {
  const { clock, runStop, throttle, maxWaitMs } = parts;
  const where = placeOf(parts.share.address);
  const most = `the job waits ${formatDuration(maxWaitMs)} at most`;
  const tellIdleMs = Math.min(longestSilenceMs, maxWaitMs / 2);
  let throttledUntilMs = 0;
  let throttles = 0;
  let idleSinceMs: number | undefined;
  let isIdleTold = false;

  share.onPulse(({ stop, closedMs }: Pulse) => {
    if (stop && parts.evidence.confirms(stop)) runStop.stop(stopError(stop));
    const untilMs = clock.monotonicMs() + closedMs;
    if (closedMs <= 0 || untilMs < throttledUntilMs + sameThrottleMs) return;
    throttledUntilMs = untilMs;
    throttle.noteThrottled(throttles, closedMs);
    throttles += 1;
  });
  const lookForWorkers = async () => {
    const present = await listPresent(share.redis, share.keys);
    const hasWorker = present.some(({ concurrency }) => concurrency > 0);
    idleSinceMs = hasWorker ? undefined : (idleSinceMs ?? clock.monotonicMs());
    if (hasWorker) isIdleTold = false;
  };
  const timer = setInterval(() => {
    const awayMs = clock.monotonicMs() - (share.awaySinceMs() ?? Number.POSITIVE_INFINITY);
    if (awayMs > maxWaitMs) {
      const message = `${where} has been away or full for ${formatDuration(awayMs)}; ${most}`;
      runStop.stop(new DossierError('SHARE_LOST', message));
    }
    if (parts.bringsWorker) return;
    lookForWorkers().catch(() => {});
    const idleMs = clock.monotonicMs() - (idleSinceMs ?? Number.POSITIVE_INFINITY);
    if (idleMs > tellIdleMs && !isIdleTold) {
      isIdleTold = true;
      parts.listener.onIdle(new Date(clock.wallMs() - idleMs));
    }
    if (idleMs <= maxWaitMs) return;
    const message = `no worker has been there for ${formatDuration(idleMs)}; ${most}`;
    runStop.stop(new DossierError('SHARE_IDLE', message));
  }, lookMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
