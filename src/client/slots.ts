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
  /** Who waits for a slot. Each uses it until it gives it back, or has left the line by now. */
  const line: (() => Promise<void> | undefined)[] = [];

  /** One job of p-limit hands its slot from one to the next: a job for each takes far longer. */
  const serveLine = async () => {
    for (let use = line.shift(); use; use = line.shift()) await use();
  };

  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        let hasLeft = false;
        const stopWatching = watchSignal(signal, () => {
          hasLeft = true;
          reject(signal.reason);
        });
        line.push(() => {
          if (hasLeft) return undefined;
          stopWatching();
          const { promise: used, resolve: giveBack } = Promise.withResolvers<void>();
          resolve({ giveBack });
          return used;
        });
        // Never fewer jobs than calls in line: whichever slot becomes free, one of them is served.
        if (limit.pendingCount < line.length) void limit(serveLine);
      }),
  };
}
