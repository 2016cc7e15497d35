import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SizedRange } from './cut-ranges.ts';

/** Asked of the second thread: one range that it makes, and one that it can go on with. */
const askedAtOnce = 2;
/**
 * Ranges from the next one to be given to the last one begun. That is three megabytes of text for
 * each format where rows have 4 KB, as they usually do, and twelve times as much with rows of 50 KB.
 */
const mostAhead = 6;
/** Bytes of large answers in ranges that are begun and not given yet; one range alone may hold more. */
const mostLargeBytesAhead = 32 * 1_024 * 1_024;

/**
 * Gives what is made of each range, in their order. Where there is a second thread, both take the
 * next free range, so that neither waits for the other.
 */
export async function* shareRanges<Made>(
  all: Iterable<SizedRange>,
  makeHere: (range: SizedRange) => Made,
  makeThere?: (range: SizedRange) => Promise<Made>,
): AsyncGenerator<Made> {
  const ranges = [...all];
  const made = new Map<number, Made>();
  const asked = new Map<number, Promise<void>>();
  /** The next range to be given, and the next one that neither thread has begun. */
  let next = 0;
  let free = 0;
  /** Bytes of large answers in the ranges that are begun and not given yet. */
  let largeBytes = 0;

  const isRoom = () => {
    const range = ranges[free];
    if (!range || free >= next + mostAhead) return false;
    return free === next || largeBytes + range.largeBytes <= mostLargeBytesAhead;
  };
  const begin = () => {
    const range = ranges[free] as SizedRange;
    largeBytes += range.largeBytes;
    free += 1;
    return range;
  };
  const ask = async (index: number, make: NonNullable<typeof makeThere>) => {
    made.set(index, await make(begin()));
    asked.delete(index);
    keepAsking();
  };
  const keepAsking = () => {
    while (makeThere && asked.size < askedAtOnce && isRoom()) {
      const index = free;
      const asking = ask(index, makeThere);
      // A failure is thrown where its range is awaited.
      asking.catch(() => {});
      asked.set(index, asking);
    }
  };
  while (next < ranges.length) {
    keepAsking();
    const ready = made.get(next);
    if (ready !== undefined) {
      made.delete(next);
      largeBytes -= ranges[next]?.largeBytes ?? 0;
      next += 1;
      keepAsking();
      yield ready;
    } else if (isRoom()) {
      const index = free;
      made.set(index, makeHere(begin()));
      // Replies of the second thread arrive in the next turn.
      await nextTurn();
    } else {
      await asked.get(next);
    }
  }
}
