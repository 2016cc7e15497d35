export function openPermitQueue<Turn>(onEmpty: () => void) {
  const waiting = new Set<(turn: Turn | Promise<never>) => void>();
  return {
    join: (signal: AbortSignal) =>
      new Promise<Turn>((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const leave = () => {
          waiting.delete(serveThis);
          reject(signal.reason);
          if (waiting.size === 0) onEmpty();
        };
        const serveThis = (turn: Turn | Promise<never>) => {
          waiting.delete(serveThis);
          signal.removeEventListener('abort', leave);
          resolve(turn);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(serveThis);
      }),
    serve(turn: Turn) {
      const [first] = waiting;
      first?.(turn);
    },
    fail(reason: unknown) {
      for (const serveThis of waiting) serveThis(Promise.reject(reason));
    },
    get length() {
      return waiting.size;
    },
  };
}
