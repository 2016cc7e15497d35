import { openWaitingLine } from './waiting-line.ts';

export interface Slots {
  take(signal: AbortSignal): Promise<Disposable>;
}

/**
 * As many attempts at once as the pool has sockets. A request that queues inside the pool can
 * neither be aborted nor timed, so it must never have to.
 */
export function openSlots(count: number): Slots {
  const line = openWaitingLine<Disposable>();
  let free = count;

  const slot = (): Disposable => ({
    [Symbol.dispose]: () => {
      if (line.length > 0) line.serve(slot());
      else free += 1;
    },
  });

  return {
    take: async (signal) => {
      signal.throwIfAborted();
      if (free === 0) return await line.join(signal);
      free -= 1;
      return slot();
    },
  };
}
