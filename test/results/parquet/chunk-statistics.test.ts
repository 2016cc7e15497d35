import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addStatistics,
  footerStatistics,
  noStatistics,
  type Statistics,
} from '../../../src/results/parquet.ts';

const mergeStatistics = (pages: readonly Statistics[]) =>
  footerStatistics(pages.reduce(addStatistics, noStatistics));

const last = '\u{10ffff}';
const text = fc.string({
  unit: fc.constantFrom('a', 'z', '\u007f', 'ß', '\ud7ff', '\uffff', '\u{1f600}', last),
  maxLength: 24,
});

test('bounds of pages are bounds of the chunk, whole text of at most 16 bytes', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (texts) => {
      const values = texts.map((value) => Buffer.from(value));
      const merged = mergeStatistics(
        values.map((value) => ({ min_value: value, max_value: value })),
      );
      const { min_value, max_value } = merged;
      const [least, most] = [min_value, max_value].map(asBuffer);
      for (const bound of [least, most].filter((given) => given !== undefined)) {
        expect(bound.length).toBeLessThanOrEqual(16);
        expect(Buffer.from(bound.toString('utf8'))).toEqual(bound);
      }
      for (const value of values) {
        expect(Buffer.compare(least ?? value, value)).toBeLessThanOrEqual(0);
        expect(Buffer.compare(most ?? value, value)).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

function asBuffer(bound: Statistics['min_value']): Buffer | undefined {
  return bound instanceof Uint8Array ? Buffer.from(bound) : undefined;
}
