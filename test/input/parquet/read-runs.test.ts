import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRuns } from '../../../src/input/parquet/read-runs.ts';

/** Packs numbers of `width` bits, the lowest bit first, in groups of eight. */
function packed(numbers: readonly number[], width: number): number[] {
  const groups = Math.ceil(numbers.length / 8);
  const bytes = Array<number>(groups * width).fill(0);
  for (const [index, number] of numbers.entries()) {
    for (let bit = 0; bit < width; bit += 1) {
      const at = index * width + bit;
      const byte = Math.floor(at / 8);
      if (Math.floor(number / 2 ** bit) % 2 === 1)
        bytes[byte] = (bytes[byte] ?? 0) | (1 << (at % 8));
    }
  }
  return [groups * 2 + 1, ...bytes];
}

test('packed numbers of any width come back', () => {
  const numbers = fc
    .integer({ min: 1, max: 32 })
    .chain((width) =>
      fc.tuple(
        fc.constant(width),
        fc.array(fc.integer({ min: 0, max: 2 ** width - 1 }), { minLength: 1, maxLength: 60 }),
      ),
    );
  fc.assert(
    fc.property(numbers, ([width, written]) => {
      const bytes = Uint8Array.from(packed(written, width));
      expect([...readRuns(bytes, 0, width, written.length)]).toEqual(written);
    }),
  );
});

test('runs of one value and packed numbers stand one after the other', () => {
  const bytes = Uint8Array.from([6, 2, ...packed([1, 3, 0], 2), 0]);
  expect([...readRuns(bytes, 0, 2, 6)]).toEqual([2, 2, 2, 1, 3, 0]);
});

test.each([
  ['a run that is longer than the page', [0xfe, 0xff, 0xff, 0xff, 0x0f, 1]],
  ['a run without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ['packed numbers that are cut short', [0x0d, 1]],
  ['runs of nothing', [0, 1, 0, 1]],
])('%s is refused', (_, bytes) => {
  expect(() => readRuns(Uint8Array.from(bytes), 0, 8, 20)).toThrow(/a page/);
});
