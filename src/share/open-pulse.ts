import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { type Permits, turnOf } from '../client/rate/permits.ts';
import type { Allowed } from '../client/rate/rate-state.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Presence } from './presence/presence.ts';
import { goneMs } from './presence/silence.ts';
import type { RedisClock } from './redis/redis-time.ts';
import type { ShareKeys } from './redis/share-keys.ts';
import { type AnnouncedStop, readStop } from './stop/announced-stop.ts';

/** What Redis says once a second. */
export interface Pulse {
  /** How long no request may leave, since the service has throttled one. */
  readonly closedMs: number;
  /** A stop of all runs that was announced after this one began; undefined for none. */
  readonly stop: AnnouncedStop | undefined;
}

/** Tells the others once a second that this one is there, and hears what holds for all. */
export interface SharePulse extends Disposable {
  /** Since when Redis has been away or unwilling; undefined where it is not. */
  awaySinceMs(): number | undefined;
  /** Whether the others count this one as gone: it could tell them nothing for too long. */
  isMissed(): boolean;
  /** Tells and hears at once what is told and heard once a second. */
  pulse(): Promise<Pulse>;
  /** Hears each pulse. */
  onPulse(listener: (pulse: Pulse) => void): void;
}

interface PulseParts {
  readonly redis: Redis;
  readonly keys: ShareKeys;
  readonly clock: Clock;
  readonly redisClock: RedisClock;
  readonly queue: Pick<Queue, 'setGlobalRateLimit'>;
  readonly presence: Presence;
  readonly permits: Permits;
}

const pulseMs = 1_000;
/** Redis hangs, or the network is cut: neither ends a connection. */
const silentMs = 5_000;
/** After so long without a word another connection is tried. */
const cutMs = 15_000;
/** A limiter has to be set, or the queue could not be held back at a throttle. */
const unpaced = { max: 1_000_000, durationMs: 1_000 };

export function openPulse(parts: PulseParts): SharePulse {
  const { redis, keys, clock, redisClock, queue, presence, permits } = parts;
  const startedAt = redisClock.nowMs();
  const listeners: ((pulse: Pulse) => void)[] = [];
  let lostAtMs: number | undefined;
  let heardAtMs = clock.monotonicMs();
  let isPulsing = false;

  const pulse = async (): Promise<Pulse> => {
    await redisClock.ask();
    await presence.renew();
    // It waits for a Redis that is full, and the others have to hear of this run meanwhile.
    permits.beat().catch(() => {});
    const { max, durationMs } = paceOf(permits.allowed());
    await queue.setGlobalRateLimit(max, durationMs);
    const stop = await readStop(redis, keys);
    lostAtMs = undefined;
    heardAtMs = clock.monotonicMs();
    const told: Pulse = {
      closedMs: permits.closedMs(),
      stop: stop && stop.atMs > startedAt ? stop : undefined,
    };
    for (const listener of listeners) listener(told);
    return told;
  };
  const pulseAgain = async () => {
    if (isPulsing) {
      const isCut = clock.monotonicMs() - heardAtMs > cutMs && redis.status === 'ready';
      if (isCut) redis.disconnect(true);
      return;
    }
    isPulsing = true;
    try {
      await pulse();
    } catch {
      lostAtMs ??= clock.monotonicMs();
    } finally {
      isPulsing = false;
    }
  };
  redis.on('close', () => {
    lostAtMs ??= clock.monotonicMs();
  });
  redis.on('ready', () => void pulse().catch(() => {}));
  const timer = setInterval(() => void pulseAgain(), pulseMs);
  timer.unref();
  const awaySinceMs = () => {
    const isSilent = clock.monotonicMs() - heardAtMs > silentMs;
    return lostAtMs ?? (isSilent ? heardAtMs : undefined);
  };
  return {
    pulse,
    awaySinceMs,
    // Redis may have heard of this one until its silence was noticed.
    isMissed: () =>
      clock.monotonicMs() - (awaySinceMs() ?? Number.POSITIVE_INFINITY) > goneMs + silentMs,
    onPulse: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** How BullMQ spreads jobs over the second: in the turns of a single machine. The window keeps the rate. */
function paceOf(allowed: Allowed): { max: number; durationMs: number } {
  if (allowed.perSecond === Number.POSITIVE_INFINITY) return unpaced;
  const { permits, intervalMs } = turnOf(allowed);
  return { max: permits, durationMs: Math.max(1, Math.floor(intervalMs)) };
}
