import pLimit from 'p-limit';
import { watchSignal } from './watch-signal.ts';

export interface Slots {
  take(signal: AbortSignal): Promise<Slot>;
}

interface Slot {
  giveBack(): void;
}

/**
 * As many attempts at once as the pool has sockets. A request that queues inside the pool can
 * neither be aborted nor timed, so it must never have to.
 */
export function openSlots(count: number): Slots {
  const limit = pLimit(count);
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        let hasLeft = false;
        const stopWatching = watchSignal(signal, () => {
          hasLeft = true;
          reject(signal.reason);
        });
        void limit(async () => {
          // Whoever gave up in line passes the slot on.
          if (hasLeft) return;
          stopWatching();
          const { promise: used, resolve: giveBack } = Promise.withResolvers<void>();
          resolve({ giveBack });
          await used;
        });
      }),
  };
}
