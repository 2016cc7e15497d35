import pLimit from 'p-limit';
import { watchSignal } from './watch-signal.ts';

export interface Slots {
  take(signal: AbortSignal): Promise<Slot>;
}

export interface Slot {
  /** To be called once. */
  giveBack(): void;
}

interface Waiting {
  readonly signal: AbortSignal;
  readonly resolve: (slot: Slot) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * As many attempts at once as the pool has sockets. A request that queues inside the pool can
 * neither be aborted nor timed, so it must never have to.
 */
export function openSlots(count: number): Slots {
  const limit = pLimit(count);
  let line: Waiting[] = [];
  const watched = new WeakSet<AbortSignal>();

  /** A job of p-limit is a slot that goes from one to the next, until nobody is in line. */
  const serveLine = () =>
    new Promise<void>((resolve) => {
      const handOn = () => {
        const next = line.shift();
        if (next) next.resolve(slot);
        else resolve();
      };
      // After all that follows from an answer: one that stops the run lets no other call leave.
      const slot: Slot = { giveBack: () => process.nextTick(handOn) };
      handOn();
    });

  /** Once for each signal, not for each call: most calls wait, and whatever waits should weigh little. */
  const watch = (signal: AbortSignal) => {
    watched.add(signal);
    watchSignal(signal, () => {
      const leaving = line.filter((waiting) => waiting.signal === signal);
      line = line.filter((waiting) => waiting.signal !== signal);
      for (const { reject } of leaving) reject(signal.reason);
    });
  };

  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (!watched.has(signal)) watch(signal);
        line.push({ signal, resolve, reject });
        // Never fewer jobs than calls in line: whichever slot becomes free, one of them is served.
        if (limit.pendingCount < line.length) void limit(serveLine);
      }),
  };
}
