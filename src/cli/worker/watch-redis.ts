import { withoutSecrets } from '../../runtime/log/known-secrets.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Share } from '../../share/open-share.ts';

export interface RedisWatch extends Disposable {
  /** Since when Redis has been away or full, in a sentence; undefined where it is there. */
  trouble(): string | undefined;
  /** Trouble that BullMQ meets. */
  noteTrouble(error: Error): void;
}

const lookMs = 500;
/** Redis is heard of once a second; one that hangs keeps its connection. */
const silentMs = 5_000;

/** Tells the log when Redis goes away and when it is back, once each. */
export function watchRedis(
  share: Pick<Share, 'awaySinceMs' | 'onPulse'>,
  { log, redis }: { readonly log: Log; readonly redis: string },
): RedisWatch {
  let heardAtMs = performance.now();
  let awaySince: Date | undefined;
  let told = '';
  share.onPulse(() => {
    heardAtMs = performance.now();
  });
  const look = () => {
    const isSilent = performance.now() - heardAtMs > silentMs;
    const isAway = share.awaySinceMs() !== undefined || isSilent;
    if (isAway === (awaySince !== undefined)) return;
    if (awaySince) {
      log.warn({ redis, awaySince: awaySince.toISOString() }, 'share.back');
      told = '';
      awaySince = undefined;
    } else {
      awaySince = new Date();
      log.warn({ redis, since: awaySince.toISOString() }, 'share.lost');
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    trouble() {
      look();
      return awaySince && `${redis} has been away or full since ${awaySince.toISOString()}`;
    },
    noteTrouble({ message }) {
      // The same trouble is met again and again until it is over.
      if (message === told) return;
      told = message;
      log.warn({ reason: withoutSecrets(message) }, 'share.trouble');
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
