import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortened, widthOf, wrapped } from '../../../src/cli/terminal/fit-text.ts';
import { printable } from '../../../src/runtime/printable.ts';
import { terminal } from '../../support/terminal.ts';

test('wrapped text fits and keeps every character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 60 }), (text, width) => {
      const lines = wrapped(text, width);
      for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
      expect(lines.join('').replaceAll(' ', '')).toBe(printable(text).replaceAll(' ', ''));
    }),
  );
});

test('a shortened text is one line that says that it was cut', () => {
  expect(shortened('two\nlines', 20)).toBe('two lines');
  expect(shortened('a long line', 6)).toBe('a lon…');
});

test.each([
  [40, 39],
  [80, 79],
  [500, 120],
  [0, 79],
])('a terminal of %d columns has room for %d', (columns, width) => {
  expect(widthOf(terminal(columns))).toBe(width);
});
