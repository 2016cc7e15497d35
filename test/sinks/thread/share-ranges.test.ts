import { expect, test } from 'vitest';
import type { RowRange } from '../../../src/ledger/run-records.ts';
import { noRows } from '../../../src/sinks/show-row.ts';
import type { RangeText } from '../../../src/sinks/thread/range-text.ts';
import { rowsInRange, shareRanges } from '../../../src/sinks/thread/share-ranges.ts';

/** A text that can be told from the others by its number of rows. */
function textOf({ upTo }: RowRange): RangeText {
  const companies = [new Uint8Array(upTo)];
  return { companies, rejects: [], rejectedRows: 0, counts: { ...noRows(), rows: upTo } };
}

/** The other thread, which answers when it is told to. */
function slowThread() {
  const asked: { range: RowRange; answer: PromiseWithResolvers<RangeText> }[] = [];
  return {
    asked,
    textOf: (range: RowRange) => {
      const answer = Promise.withResolvers<RangeText>();
      asked.push({ range, answer });
      return answer.promise;
    },
  };
}

test('ranges are taken in their order, whichever thread was faster', async () => {
  const thread = slowThread();
  const ranges = shareRanges(rowsInRange * 4, thread.textOf);
  await ranges.makeOne(textOf);
  await ranges.makeOne(textOf);
  expect(ranges.takeNext()).toBeUndefined();
  for (const { range, answer } of thread.asked) answer.resolve(textOf(range));
  await ranges.makeOne(textOf);
  const taken = [1, 2, 3, 4].map(() => ranges.takeNext()?.counts.rows);
  expect(taken).toEqual([1, 2, 3, 4].map((range) => range * rowsInRange));
  expect(ranges.areAllTaken()).toBe(true);
});

test('neither thread runs far ahead of one that is slow', async () => {
  const thread = slowThread();
  const ranges = shareRanges(rowsInRange * 1_000, thread.textOf);
  let made = 0;
  const makeSome = async () => {
    for (;;) await ranges.makeOne((range) => textOf({ ...range, after: ++made }));
  };
  const making = makeSome();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(made + thread.asked.length).toBeLessThan(10);
  thread.asked[0]?.answer.reject(new Error('the disk is gone'));
  await expect(making).rejects.toThrow('the disk is gone');
});
