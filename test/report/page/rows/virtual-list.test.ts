import fc from 'fast-check';
import { expect, test } from 'vitest';
import { visibleRows } from '../../../../src/report/page/rows/virtual-list.ts';

test('what is on the screen is drawn, and not much more, wherever somebody scrolls to', () => {
  fc.assert(
    fc.property(
      fc.nat(1_000_000),
      fc.nat(50_000_000),
      fc.integer({ min: 1, max: 2_000 }),
      (rows, top, height) => {
        const { first, end } = visibleRows(rows, 44, { top, height });
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
