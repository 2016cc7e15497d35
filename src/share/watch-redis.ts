import type { Share } from './open-share.ts';
import { isFull } from './redis/redis-trouble.ts';

/** Hears of Redis going away, coming back, and whatever else is wrong with it. */
export interface RedisListener {
  onLost(since: Date): void;
  onBack(awaySince: Date): void;
  /** The same trouble is told once a minute at most. */
  onTrouble(message: string): void;
}

export interface RedisWatch extends Disposable {
  /** Since when Redis has been away or full; undefined where it is there. */
  awaySince(): Date | undefined;
  /** Trouble that BullMQ meets. */
  noteTrouble(error: Error): void;
}

const lookMs = 500;

/** How BullMQ tells of a job that Redis has lost, or given to another worker: once for each job. */
const ofLostJob =
  /^((missing (key|lock)|lock mismatch|could not renew lock) for job|job \S+ is not in the \w+ state)/i;
const lostJobsText =
  'Redis no longer knows calls that a worker here was making; they may be made again';
const fullText = 'the memory of Redis is full (maxmemory): calls wait until there is room';
/** The same trouble is met again and again until it is over, and a full Redis comes and goes. */
const tellAgainMs = 60_000;

/** Tells when Redis goes away and when it is back, once each. */
export function watchRedis(
  share: Pick<Share, 'awaySinceMs'>,
  { onLost, onBack, onTrouble }: RedisListener,
): RedisWatch {
  let awaySince: Date | undefined;
  const toldAtMs = new Map<string, number>();
  const look = () => {
    const isAway = share.awaySinceMs() !== undefined;
    if (isAway === (awaySince !== undefined)) return;
    if (awaySince) onBack(awaySince);
    awaySince = isAway ? new Date() : undefined;
    if (awaySince) onLost(awaySince);
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    awaySince() {
      look();
      return awaySince;
    },
    noteTrouble(error) {
      // That Redis is away, or back, is told before its reason.
      look();
      const trouble = textOf(error);
      const now = performance.now();
      if (now - (toldAtMs.get(trouble) ?? Number.NEGATIVE_INFINITY) < tellAgainMs) return;
      toldAtMs.set(trouble, now);
      onTrouble(trouble);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function textOf(error: Error): string {
  if (isFull(error)) return fullText;
  return ofLostJob.test(error.message) ? lostJobsText : error.message;
}
