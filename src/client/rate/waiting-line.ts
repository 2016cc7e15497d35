export interface WaitingLine<Turn> {
  /** Waits for a turn. An abort leaves the line at once; `onEmpty` hears of the last one to leave. */
  join(signal: AbortSignal): Promise<Turn>;
  /** Gives the first in line its turn. */
  serve(turn: Turn): void;
  /** All who wait are told that there will be no turn. */
  fail(reason: unknown): void;
  readonly length: number;
}

/** First come, first served. An aborted wait leaves the line at once. */
export function openWaitingLine<Turn>(onEmpty: () => void = () => {}): WaitingLine<Turn> {
  // A Set keeps the order of joining, and a wait leaves from the middle without a search.
  const waiting = new Set<(turn: Turn | Promise<never>) => void>();
  return {
    join: (signal) =>
      new Promise((resolve, reject) => {
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
    serve: (turn) => {
      const [first] = waiting;
      first?.(turn);
    },
    fail: (reason) => {
      for (const serveThis of waiting) serveThis(Promise.reject(reason));
    },
    get length() {
      return waiting.size;
    },
  };
}
