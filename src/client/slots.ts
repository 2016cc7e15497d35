import pLimit from 'p-limit';
import { watchSignal } from './watch-signal.ts';

export interface Slots {
  take(signal: AbortSignal): Promise<Slot>;
}

interface Slot {
  /** To be called once. */
  giveBack(): void;
}

/** Takes the slot; false from whoever has left the line. */
type Waiting = (slot: Slot) => boolean;

/**
 * As many attempts at once as the pool has sockets. A request that queues inside the pool can
 * neither be aborted nor timed, so it must never have to.
 */
export function openSlots(count: number): Slots {
  const limit = pLimit(count);
  const line: Waiting[] = [];

  /** A job of p-limit is a slot that goes from one to the next, until nobody is in line. */
  const serveLine = () =>
    new Promise<void>((resolve) => {
      const handOn = () => {
        for (let next = line.shift(); next; next = line.shift()) if (next(slot)) return;
        resolve();
      };
      // After all that follows from an answer: one that stops the run lets no other call leave.
      const slot: Slot = { giveBack: () => process.nextTick(handOn) };
      handOn();
    });

  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        let hasLeft = false;
        const stopWatching = watchSignal(signal, () => {
          hasLeft = true;
          reject(signal.reason);
        });
        line.push((slot) => {
          if (hasLeft) return false;
          stopWatching();
          resolve(slot);
          return true;
        });
        // Never fewer jobs than calls in line: whichever slot becomes free, one of them is served.
        if (limit.pendingCount < line.length) void limit(serveLine);
      }),
  };
}
