import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RowSample, rowClasses } from '../../../src/results/tally/row-sample.ts';
import { chooseRows } from '../../../src/ui/report/report-data.ts';

function sampleOf(sizes: readonly number[]): RowSample {
  let row = 0;
  const entries = rowClasses.map((name, index) => [
    name,
    Array.from({ length: sizes[index] ?? 0 }, () => {
      row += 1;
      return row;
    }),
  ]);
  return Object.fromEntries(entries) as RowSample;
}

const sizes = fc.array(fc.nat(40), { minLength: 5, maxLength: 5 });

test('all rows are shown where there is room, and as many as fit otherwise', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 5, max: 100 }), (all, most) => {
      const rows = chooseRows(sampleOf(all), most);
      const total = all.reduce((sum, size) => sum + size, 0);
      expect(rows.length).toBe(Math.min(total, most));
      expect(new Set(rows).size).toBe(rows.length);
      expect(rows).toEqual(rows.toSorted((one, other) => one - other));
    }),
  );
});

test('a class that has rows is never missing, however many the others have', () => {
  fc.assert(
    fc.property(sizes, (all) => {
      const sample = sampleOf(all);
      const shown = new Set(chooseRows(sample, 5));
      for (const name of rowClasses) {
        const first = sample[name][0];
        if (first) expect(shown).toContain(first);
      }
    }),
  );
});
