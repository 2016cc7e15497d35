import { expect, test } from 'vitest';
import { findZeroPadding } from '../../../src/input/workbook/read-sheet.ts';

const formats = ['', '000000000', '00\\ 000\\ 000\\ 000', '000" "000', '0.00', '#,##0', '0000-00'];
const padding = (xml: string) => Object.fromEntries(findZeroPadding(xml, formats));

test.each([
  [1, 9],
  [2, 11],
  [3, 6],
  [6, 6],
])('format %i shows %i digits at least', (style, digits) => {
  expect(padding(`<row r="2"><c r="C2" s="${style}"><v>5</v></c></row>`)).toEqual({ 2: digits });
});

test.each([0, 4, 5, 99])('format %i adds no zeros', (style) => {
  expect(padding(`<row r="2"><c r="C2" s="${style}"><v>5</v></c></row>`)).toEqual({});
});

test('a header does not affect the padding of its column, a number in another format does', () => {
  const header = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>';
  const row = '<row r="2"><c r="A2" s="1"><v>4085616</v></c></row>';
  expect(padding(header + row)).toEqual({ 0: 9 });
  expect(padding(`${header + row}<row r="3"><c r="A3"><v>7</v></c></row>`)).toEqual({});
});

test('columns after Z have two letters', () => {
  expect(padding('<row r="2"><c r="AB2" s="1"><v>5</v></c></row>')).toEqual({ 27: 9 });
});
