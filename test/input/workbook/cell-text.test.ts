import { expect, test } from 'vitest';
import { cellText } from '../../../src/input/workbook/read-sheet.ts';

test.each([
  [51824753556, '51824753556'],
  [51824753556001, '51824753556001'],
  [5.1824753556e10, '51824753556'],
  [1.5e21, '1500000000000000000000'],
  [-7, '-7'],
  [0, '0'],
  [12.5, '12.5'],
  [0.1 + 0.2, '0.3'],
  [0.00000012, '0.00000012'],
])('the number %d is written %s', (number, text) => expect(cellText(number)).toBe(text));

test.each([
  [4085616, 9, '004085616'],
  [800, 4, '0800'],
  [51824753556, 9, '51824753556'],
  [-5, 3, '-005'],
  [1.5, 4, '1.5'],
])('%d in a column that shows %i digits is %s', (number, digits, text) => {
  expect(cellText(number, digits)).toBe(text);
});

test.each([
  ['2026-03-01T00:00:00.000Z', '2026-03-01'],
  ['2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00'],
  ['1899-12-31T09:30:00.000Z', '09:30:00'],
])('the date %s is written %s', (date, text) => expect(cellText(new Date(date))).toBe(text));

test('a number that is no possible date is written as Excel shows it', () => {
  expect(cellText(new Date(Number.NaN))).toBe('#####');
});

test('text, booleans and empty cells are written as they are', () => {
  expect(['+61 2 5550 1234', '#N/A', true, false, null, undefined].map((v) => cellText(v))).toEqual(
    ['+61 2 5550 1234', '#N/A', 'TRUE', 'FALSE', undefined, undefined],
  );
});
