import type { Share } from './open-share.ts';

/** Hears of Redis going away, coming back, and whatever else is wrong with it. */
export interface RedisListener {
  onLost(since: Date): void;
  onBack(awaySince: Date): void;
  /** The same trouble is told once. */
  onTrouble(message: string): void;
  /** A run that makes no calls itself has found no worker since then. */
  onIdle(since: Date): void;
}

export interface RedisWatch extends Disposable {
  /** Since when Redis has been away or full; undefined where it is there. */
  awaySince(): Date | undefined;
  /** Trouble that BullMQ meets. */
  noteTrouble(error: Error): void;
}

const lookMs = 500;

/** How BullMQ tells of a job that Redis has lost, or given to another worker: once for each job. */
const ofLostJob = /^(missing (key|lock) for job|could not renew lock for job)/i;
const lostJobsText =
  'Redis no longer knows calls that a worker here was making; they may be made again';

/** Tells when Redis goes away and when it is back, once each. */
export function watchRedis(
  share: Pick<Share, 'awaySinceMs'>,
  { onLost, onBack, onTrouble }: Omit<RedisListener, 'onIdle'>,
): RedisWatch {
  let awaySince: Date | undefined;
  let told = '';
  const look = () => {
    const isAway = share.awaySinceMs() !== undefined;
    if (isAway === (awaySince !== undefined)) return;
    if (awaySince) onBack(awaySince);
    told = '';
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
    noteTrouble({ message }) {
      // That Redis is away, or back, is told before its reason.
      look();
      const trouble = ofLostJob.test(message) ? lostJobsText : message;
      // The same trouble is met again and again until it is over.
      if (trouble === told) return;
      told = trouble;
      onTrouble(trouble);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
