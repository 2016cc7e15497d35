import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long enough to get on, short enough that nobody sees a request wait. */
const turnMs = 20;

/** Goes through what may be long, and lets other requests in between. Ends when the page is gone. */
export async function* letOthersWork<Item>(
  items: Iterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  let turnEndsAt = performance.now() + turnMs;
  for (const item of items) {
    yield item;
    if (performance.now() < turnEndsAt) continue;
    await nextTurn();
    signal.throwIfAborted();
    turnEndsAt = performance.now() + turnMs;
  }
}
