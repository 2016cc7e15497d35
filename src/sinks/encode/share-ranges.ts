import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowRange } from '../../ledger/run-records.ts';

/** Answers that came together are stored together: with fewer, many bundles would be opened twice. */
export const rowsInRange = 128;
/** Asked of the second thread: one range that it makes, and one that it can go on with. */
const askedAtOnce = 2;
/**
 * Ranges from the next one to be given to the last one begun. That is three megabytes of text for
 * each format where rows have 4 KB, as they usually do. Only their number is bounded: with rows of
 * 50 KB it is twelve times as much, and an export holds hundreds of megabytes.
 */
const mostAhead = 6;

/**
 * Cuts rows into ranges and gives what is made of each, in the order of the rows. Where there is a
 * second thread, both take the next free range, so that neither waits for the other.
 */
export async function* shareRanges<Made>(
  rowCount: number,
  makeHere: (range: RowRange) => Made,
  makeThere?: (range: RowRange) => Promise<Made>,
): AsyncGenerator<Made> {
  const rangeCount = Math.ceil(rowCount / rowsInRange);
  const made = new Map<number, Made>();
  const asked = new Map<number, Promise<void>>();
  /** The next range to be given, and the next one that neither thread has begun. */
  let next = 0;
  let free = 0;

  const isRoom = () => free < rangeCount && free < next + mostAhead;
  const ask = async (index: number, make: NonNullable<typeof makeThere>) => {
    made.set(index, await make(rangeAt(index)));
    asked.delete(index);
    keepAsking();
  };
  const keepAsking = () => {
    while (makeThere && asked.size < askedAtOnce && isRoom()) {
      const asking = ask(free, makeThere);
      // A failure is thrown where its range is awaited.
      asking.catch(() => {});
      asked.set(free, asking);
      free += 1;
    }
  };
  while (next < rangeCount) {
    keepAsking();
    const ready = made.get(next);
    if (ready !== undefined) {
      made.delete(next);
      next += 1;
      keepAsking();
      yield ready;
    } else if (isRoom()) {
      const index = free;
      free += 1;
      made.set(index, makeHere(rangeAt(index)));
      // Replies of the second thread arrive in the next turn.
      await nextTurn();
    } else {
      await asked.get(next);
    }
  }
}

function rangeAt(index: number): RowRange {
  return { after: index * rowsInRange, upTo: (index + 1) * rowsInRange };
}
