import { expect, test } from 'vitest';
import { cutForTable } from '../../../../src/ui/workbench/rows/cut-cell.ts';

test('the table gets the beginning of a long cell, and how long it is', () => {
  const usual = ['x'.repeat(2_000), 12, true, null, ['a', 'b'], [1, 2]];
  expect(usual.map(cutForTable)).toEqual(usual);
  expect(cutForTable('x'.repeat(10_000_000))).toBe(
    `${'x'.repeat(2_000)}… (10,000,000 characters; open the row for more)`,
  );
  // A sign is never cut in two.
  const signs = cutForTable(`x${'😀'.repeat(2_000)}`) as string;
  expect(signs.isWellFormed()).toBe(true);
  const numbers = Array.from({ length: 5_000 }, (_, at) => at + 1_000);
  expect(cutForTable(numbers)).toMatchObject({
    length: 334,
    333: '… (4,667 more; open the row for more)',
  });
});
