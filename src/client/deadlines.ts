import { type Crowd, join, leave, type Member } from './crowd.ts';

export interface Deadlines {
  /** Calls back once when the time is over, unless what comes back was called before. */
  watch(timeoutMs: number, onOver: () => void): () => void;
}

interface Watcher extends Member {
  readonly endsAtMs: number;
  readonly onOver: () => void;
}

/** `setTimeout` fires at once for anything longer. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The deadlines of many requests with one timer, which is set for the first of them and looks for
 * the next only when it fires: hardly any request is still there by then, and a timer of its own for
 * each takes as long as writing it. Without requests there is no timer, so a process can end. Real
 * time even where a test has its own clock: the wire knows no other.
 */
export function openDeadlines(): Deadlines {
  const watchers: Crowd<Watcher> = [];
  let timer: NodeJS.Timeout | undefined;
  let firesAtMs = Number.POSITIVE_INFINITY;

  const setTimer = (atMs: number) => {
    clearTimeout(timer);
    firesAtMs = atMs;
    if (atMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.ceil(atMs - performance.now());
    timer = setTimeout(readFirst, Math.min(Math.max(waitMs, 0), longestTimerMs));
  };
  // After a stall of the process, answers have come that nobody has read; they are read first, or
  // they would be paid for again.
  const readFirst = () => void setImmediate(callTime, performance.now());
  const callTime = (nowMs: number) => {
    for (const watcher of watchers.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
      // Whoever was called before may have taken this one out.
      if (leave(watchers, watcher)) watcher.onOver();
    }
    setTimer(watchers.reduce(earlier, Number.POSITIVE_INFINITY));
  };

  return {
    watch: (timeoutMs, onOver) => {
      const endsAtMs = performance.now() + timeoutMs;
      const watcher: Watcher = { place: 0, endsAtMs, onOver };
      join(watchers, watcher);
      if (endsAtMs < firesAtMs) setTimer(endsAtMs);
      return () => {
        if (leave(watchers, watcher) && watchers.length === 0) setTimer(Number.POSITIVE_INFINITY);
      };
    },
  };
}

function earlier(sofarMs: number, { endsAtMs }: Watcher): number {
  return Math.min(sofarMs, endsAtMs);
}
