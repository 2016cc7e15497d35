import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RowSample, rowClasses } from '../../../src/results/tally/row-sample.ts';
import { chooseRows } from '../../../src/ui/report/report-data.ts';

test('as many rows as fit are shown in order, and some of each class that has rows', () => {
  const sizes = fc.array(fc.nat(40), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 5, max: 100 }), (all, most) => {
      let row = 0;
      const count = () => (row += 1);
      const sample = Object.fromEntries(
        rowClasses.map((name, index) => [name, Array.from({ length: all[index] ?? 0 }, count)]),
      ) as RowSample;
      const rows = chooseRows(sample, most);
      expect(rows.length).toBe(Math.min(row, most));
      expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other));
      for (const name of rowClasses) {
        expect(sample[name].length === 0 || sample[name].some((one) => rows.includes(one))).toBe(
          true,
        );
      }
    }),
  );
});
