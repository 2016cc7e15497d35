import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowRange } from '../../ledger/run-records.ts';
import type { RangeText } from './range-text.ts';

/** The ranges of a run, made by two threads and taken in their order. */
export interface SharedRanges {
  /** The text that comes next; undefined where it is not made yet, or all are taken. */
  takeNext(): RangeText | undefined;
  areAllTaken(): boolean;
  /** Makes a range here, or waits for the other thread where enough is made ahead. */
  makeOne(make: MakeRange<RangeText>): Promise<void>;
}

type MakeRange<Made> = (range: RowRange) => Made;

/** Answers that came together are stored together: with fewer, many bundles would be opened twice. */
export const rowsInRange = 128;
/** Under way in the thread: one that it makes, and one that it can go on with. */
const askedAtOnce = 2;
/**
 * Ranges from the next one to be written to the last one begun. That is three megabytes of text for
 * each format where rows have 4 KB, as they usually do. Only their number is bounded: with rows of
 * 50 KB it is twelve times as much, and an export holds hundreds of megabytes.
 */
const mostAhead = 6;

export function shareRanges(rowCount: number, textOf: MakeRange<Promise<RangeText>>): SharedRanges {
  const rangeCount = Math.ceil(rowCount / rowsInRange);
  const made = new Map<number, RangeText>();
  const asked = new Map<number, Promise<void>>();
  /** The next to be taken, and the next to be made by whoever has time. */
  let next = 0;
  let open = 0;

  const rangeAt = (index: number): RowRange => ({
    after: index * rowsInRange,
    upTo: (index + 1) * rowsInRange,
  });
  const isRoom = () => open < rangeCount && open < next + mostAhead;
  const ask = async (index: number) => {
    made.set(index, await textOf(rangeAt(index)));
    asked.delete(index);
    keepAsking();
  };
  const keepAsking = () => {
    while (asked.size < askedAtOnce && isRoom()) {
      const answer = ask(open);
      // It is met where its range would be taken.
      answer.catch(() => {});
      asked.set(open, answer);
      open += 1;
    }
  };
  keepAsking();

  return {
    takeNext() {
      const text = made.get(next);
      if (text === undefined) return undefined;
      made.delete(next);
      next += 1;
      keepAsking();
      return text;
    },
    areAllTaken: () => next === rangeCount,
    async makeOne(make) {
      if (!isRoom()) {
        await asked.get(next);
        return;
      }
      const index = open;
      open += 1;
      made.set(index, make(rangeAt(index)));
      // What the thread has made meanwhile is heard of in the next turn only.
      await nextTurn();
    },
  };
}
