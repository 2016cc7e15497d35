import { type Crowd, join, leave, type Member } from './crowd.ts';

interface Watcher extends Member {
  readonly tell: () => void;
}

const watchersOf = new WeakMap<AbortSignal, Crowd<Watcher>>();

/**
 * Calls back once when the signal aborts, unless what comes back was called before. A run has one
 * signal and hundreds of thousands of calls: a listener of its own for each takes longer than
 * writing the request.
 */
export function watchSignal(signal: AbortSignal, tell: () => void): () => void {
  const watchers = watchersOf.get(signal) ?? listenTo(signal);
  const watcher: Watcher = { place: 0, tell };
  join(watchers, watcher);
  return () => void leave(watchers, watcher);
}

function listenTo(signal: AbortSignal): Crowd<Watcher> {
  const watchers: Crowd<Watcher> = [];
  const tellAll = () => {
    // One at a time: whoever is told may take others out.
    for (let next = watchers.pop(); next; next = watchers.pop()) next.tell();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  watchersOf.set(signal, watchers);
  return watchers;
}
