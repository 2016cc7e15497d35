import type { Share } from './open-share.ts';

/** Hears of Redis going away, coming back, and whatever else is wrong with it. */
export interface RedisListener {
  onLost(since: Date): void;
  onBack(awaySince: Date): void;
  /** The same trouble is told once. */
  onTrouble(message: string): void;
}

export interface RedisWatch extends Disposable {
  /** Since when Redis has been away or full; undefined where it is there. */
  awaySince(): Date | undefined;
  /** Trouble that BullMQ meets. */
  noteTrouble(error: Error): void;
}

const lookMs = 500;

/** Tells when Redis goes away and when it is back, once each. */
export function watchRedis(
  share: Pick<Share, 'awaySinceMs'>,
  { onLost, onBack, onTrouble }: RedisListener,
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
      // The same trouble is met again and again until it is over.
      if (message === told) return;
      told = message;
      onTrouble(message);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
