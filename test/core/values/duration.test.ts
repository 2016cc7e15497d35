import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/core/values/duration.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['30d', 2_592_000_000],
  ['1.5h', 5_400_000],
  ['1h30m', 5_400_000],
  ['0s', 0],
])('%s is %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each(['', '30', 's', '30 s', '-1s', '1e3s', '30sec', '1h,30m', ' 30s', '99999999999999999w'])(
  '%j is not a duration: a number needs a unit',
  (text) => expect(parseDuration(text)).toBeUndefined(),
);

test.each([
  [0, '0ms'],
  [450, '450ms'],
  [999.6, '1s'],
  [59_700, '1m'],
  [61_000, '1m 1s'],
  [3_599_999, '1h'],
  [273_600_000, '3d 4h'],
  [Number.POSITIVE_INFINITY, 'forever'],
])('%d ms reads as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test('a printed duration can be read back and prints the same', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), (ms) => {
      const text = formatDuration(ms);
      expect(formatDuration(parseDuration(text) ?? Number.NaN)).toBe(text);
    }),
  );
});
