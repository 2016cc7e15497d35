import { expect, test } from 'vitest';
import { cutRanges, rowsInRange } from '../../../src/sinks/encode/cut-ranges.ts';

const megabyte = 1_000_000;

test('rows of the usual size are cut into ranges of equal length', () => {
  const ranges = [...cutRanges(2 * rowsInRange + 1)];
  expect(ranges.map(({ after, upTo }) => [after, upTo])).toEqual([
    [0, rowsInRange],
    [rowsInRange, 2 * rowsInRange],
    [2 * rowsInRange, 3 * rowsInRange],
  ]);
  expect(ranges.every(({ largeBytes }) => largeBytes === 0)).toBe(true);
});

test('a range holds one very large answer, or several that are large', () => {
  const large = [
    { number: 3, bytes: 31 * megabyte },
    { number: 4, bytes: 31 * megabyte },
    { number: 10, bytes: 4 * megabyte },
    { number: 20, bytes: 4 * megabyte },
    { number: 30, bytes: 4 * megabyte },
    { number: rowsInRange + 1, bytes: megabyte },
  ];
  expect([...cutRanges(2 * rowsInRange, large)]).toEqual([
    { after: 0, upTo: 3, largeBytes: 31 * megabyte },
    { after: 3, upTo: 9, largeBytes: 31 * megabyte },
    { after: 9, upTo: 29, largeBytes: 8 * megabyte },
    { after: 29, upTo: rowsInRange, largeBytes: 4 * megabyte },
    { after: rowsInRange, upTo: 2 * rowsInRange, largeBytes: megabyte },
  ]);
});
