export interface WaitingLine<Ticket> {
  /** Waits for a turn. An abort leaves the line at once and is told to `onEmpty` if it was the last. */
  join(signal: AbortSignal): Promise<Ticket>;
  /** Gives the first in line its turn. */
  serve(ticket: Ticket): void;
  readonly length: number;
}

/** First come, first served, and whoever gives up is out of the line that very moment. */
export function openWaitingLine<Ticket>(onEmpty: () => void = () => {}): WaitingLine<Ticket> {
  // A Set keeps the order of joining and lets anyone leave from the middle without a search.
  const waiting = new Set<(ticket: Ticket) => void>();
  return {
    join: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const leave = () => {
          waiting.delete(turn);
          reject(signal.reason);
          if (waiting.size === 0) onEmpty();
        };
        const turn = (ticket: Ticket) => {
          waiting.delete(turn);
          signal.removeEventListener('abort', leave);
          resolve(ticket);
        };
        signal.addEventListener('abort', leave, { once: true });
        waiting.add(turn);
      }),
    serve: (ticket) => {
      const [first] = waiting;
      first?.(ticket);
    },
    get length() {
      return waiting.size;
    },
  };
}
