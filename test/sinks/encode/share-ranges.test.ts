import { expect, test } from 'vitest';
import type { RowRange } from '../../../src/ledger/run-records.ts';
import { cutRanges, rowsInRange } from '../../../src/sinks/encode/cut-ranges.ts';
import { shareRanges } from '../../../src/sinks/encode/share-ranges.ts';

const lastRow = ({ upTo }: RowRange) => upTo;

/** The other thread, which answers when it is told to. */
function slowThread() {
  const asked: { range: RowRange; answer: PromiseWithResolvers<number> }[] = [];
  return {
    asked,
    make: (range: RowRange) => {
      const answer = Promise.withResolvers<number>();
      asked.push({ range, answer });
      return answer.promise;
    },
  };
}

const lastRows = (ranges: number) =>
  Array.from({ length: ranges }, (_, index) => (index + 1) * rowsInRange);

test('one thread makes every range, in the order of the rows', async () => {
  const made = await Array.fromAsync(shareRanges(cutRanges(rowsInRange * 20), lastRow));
  expect(made).toEqual(lastRows(20));
});

test('rows that fill no range are one, and no rows are none', async () => {
  expect(await Array.fromAsync(shareRanges(cutRanges(3), lastRow))).toEqual([rowsInRange]);
  expect(await Array.fromAsync(shareRanges(cutRanges(0), lastRow))).toEqual([]);
});

test('ranges are given in their order, whichever thread was faster', async () => {
  const thread = slowThread();
  const taken = Array.fromAsync(shareRanges(cutRanges(rowsInRange * 20), lastRow, thread.make));
  let answered = 0;
  const answering = setInterval(() => {
    // Of those that are open, the later one is answered first.
    for (const { range, answer } of thread.asked.slice(answered).reverse()) {
      answer.resolve(lastRow(range));
    }
    answered = thread.asked.length;
  }, 1);
  expect(await taken).toEqual(lastRows(20));
  clearInterval(answering);
  expect(thread.asked.length).toBeGreaterThan(2);
});

test('neither thread runs far ahead of one that is slow', async () => {
  const thread = slowThread();
  let made = 0;
  const countHere = (range: RowRange) => {
    made += 1;
    return lastRow(range);
  };
  const taken = Array.fromAsync(
    shareRanges(cutRanges(rowsInRange * 1_000), countHere, thread.make),
  );
  // The failure may come before anything waits for it.
  taken.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(made + thread.asked.length).toBeLessThan(10);
  thread.asked[0]?.answer.reject(new Error('the disk is gone'));
  await expect(taken).rejects.toThrow('the disk is gone');
});

test('a range of a large answer is made only when its turn has come', async () => {
  const large = Array.from({ length: 20 }, (_, index) => ({
    number: index + 1,
    bytes: 31_000_000,
  }));
  const made: number[] = [];
  let given = 0;
  const ranges = cutRanges(20, large);
  for await (const upTo of shareRanges(ranges, (range) => made.push(range.upTo) && range.upTo)) {
    given += 1;
    expect(made).toHaveLength(given);
    expect(upTo).toBe(made.at(-1));
  }
  expect(given).toBe(20);
});
