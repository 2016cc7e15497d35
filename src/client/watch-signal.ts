interface Watcher {
  place: number;
  readonly tell: () => void;
}

const watchersOf = new WeakMap<AbortSignal, Watcher[]>();

/**
 * Calls back once when the signal aborts, unless what comes back was called before. A run has one
 * signal and hundreds of thousands of calls: a listener of its own for each takes longer than
 * writing the request. The watchers are in an array because a Set that is old keeps what was long
 * taken out of it from being collected.
 */
export function watchSignal(signal: AbortSignal, tell: () => void): () => void {
  const watchers = watchersOf.get(signal) ?? listenTo(signal);
  const watcher: Watcher = { place: watchers.length, tell };
  watchers.push(watcher);
  return () => {
    if (watchers[watcher.place] !== watcher) return;
    // The last one takes its place.
    const last = watchers.pop();
    if (!last || last === watcher) return;
    last.place = watcher.place;
    watchers[last.place] = last;
  };
}

function listenTo(signal: AbortSignal): Watcher[] {
  const watchers: Watcher[] = [];
  const tellAll = () => {
    // One at a time: whoever is told may take others out.
    for (let next = watchers.pop(); next; next = watchers.pop()) next.tell();
  };
  signal.addEventListener('abort', tellAll, { once: true });
  watchersOf.set(signal, watchers);
  return watchers;
}
