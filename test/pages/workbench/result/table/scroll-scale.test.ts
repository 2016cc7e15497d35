import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  drawnHeight,
  placeAfter,
  placeAt,
} from '../../../../../src/pages/workbench/result/table/scroll-scale.ts';

const nowhere = { top: 0, offset: 0 };
const million = { total: 40_000_000, view: 800 };

describe('a table that fits into an element', () => {
  const sizes = { total: 40_000, view: 800 };

  test('is scrolled as the element is', () => {
    expect(drawnHeight(sizes.total)).toBe(40_000);
    expect(placeAfter(nowhere, 1_234, sizes)).toEqual({ top: 1_234, offset: 1_234 });
    expect(placeAt(1_234, sizes)).toEqual({ top: 1_234, offset: 1_234 });
  });
});

describe('a table that is higher than any element', () => {
  test('moves as far as a wheel says, wherever it is', () => {
    const middle = placeAt(20_000_000, million);
    const after = placeAfter(middle, middle.top + 120, million);
    expect(after.offset - middle.offset).toBeCloseTo(120, 6);
  });

  test('goes to the same share of the whole when its bar is dragged', () => {
    const most = drawnHeight(million.total) - million.view;
    const { offset } = placeAfter(nowhere, most / 2, million);
    expect(offset).toBeCloseTo((million.total - million.view) / 2, 3);
  });

  test('has its first and last row at the ends of the bar', () => {
    const most = drawnHeight(million.total) - million.view;
    const middle = placeAt(20_000_000, million);
    expect(placeAfter(middle, most, million).offset).toBe(million.total - million.view);
    expect(placeAfter(middle, 0, million).offset).toBe(0);
  });

  test('never leaves its rows, however it is scrolled', () => {
    const tops = fc.array(fc.double({ min: 0, max: 15_000_000, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(tops, fc.nat(100_000_000), (moves, total) => {
        const sizes = { total, view: 800 };
        const most = Math.max(0, drawnHeight(total) - sizes.view);
        let place = nowhere;
        for (const top of moves) {
          place = placeAfter(place, Math.min(top, most), sizes);
          expect(place.offset).toBeGreaterThanOrEqual(0);
          expect(place.offset).toBeLessThanOrEqual(Math.max(0, total - sizes.view));
        }
      }),
    );
  });
});
