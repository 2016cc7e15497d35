import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualRange } from '../../../src/pages/parts/virtual-list.ts';

test('the rows on the screen are drawn at every scroll position, and few others', () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.nat(50_000_000),
      fc.integer({ min: 1, max: 2_000 }),
      (rows, top, height) => {
        const { first, end } = virtualRange(rows, 44, { top, height });
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(rows);
        expect(end - first).toBeLessThan(height / 44 + 16);
        const onScreen = Math.floor(top / 44);
        if (onScreen < rows) {
          expect(first).toBeLessThanOrEqual(onScreen);
          expect(end).toBeGreaterThan(onScreen);
        }
      },
    ),
  );
});
