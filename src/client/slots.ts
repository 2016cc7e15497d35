import pLimit from 'p-limit';

export interface Slots {
  take(signal: AbortSignal): Promise<Disposable>;
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
        const leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        void limit(async () => {
          signal.removeEventListener('abort', leave);
          // Whoever gave up in line passes the slot on.
          if (signal.aborted) return;
          const { promise: used, resolve: giveBack } = Promise.withResolvers<void>();
          resolve({ [Symbol.dispose]: giveBack });
          await used;
        });
      }),
  };
}
