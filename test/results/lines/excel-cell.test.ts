import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protectFromExcel } from '../../../src/results/lines.ts';
import { arbitraryText } from '../../core/columns/arbitrary-answer.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-cmd|calc', "'-cmd|calc"],
  ["+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['＝1', "'＝1"],
  ['-', "'-"],
])('%j cannot run as a formula', (text, cell) => expect(protectFromExcel(text)).toBe(cell));

test.each([
  ['51824753556', '="51824753556"'],
  ['9429041538349', '="9429041538349"'],
  ['049873321', '="049873321"'],
  ['+61255501234', '="+61255501234"'],
  ['+61 2 5550 1234', '="+61 2 5550 1234"'],
  ['+1-555-0100', '="+1-555-0100"'],
  ['+61 2 5550 1234; 1300 555 012', '="+61 2 5550 1234; 1300 555 012"'],
  ['11-50', '="11-50"'],
  ['2014-03-09', '="2014-03-09"'],
  ['31.1.2020', '="31.1.2020"'],
  ['00:02:11', '="00:02:11"'],
  ['12E5', '="12E5"'],
])('%j is not turned into a number or a date', (text, cell) => {
  expect(protectFromExcel(text)).toBe(cell);
});

test.each(['', 'Acme', '-5', '12.5', '184', '51-200 people', '1300 555 012', 'a=b', '0', '50+'])(
  '%j stays as it is',
  (text) => expect(protectFromExcel(text)).toBe(text),
);

test('text too long for a formula gets an apostrophe instead', () => {
  const phones = Array.from({ length: 40 }, () => '+61 2 5550 1234').join('; ');
  expect(protectFromExcel(phones)).toBe(`'${phones}`);
});

test('whatever the text, only our own form begins like a formula', () => {
  const ours = /^="[-+\d ().;:/eE]*"$/;
  fc.assert(
    fc.property(arbitraryText(), (text) => {
      const cell = protectFromExcel(text);
      expect(/^[=+\-@\t\r\n]/.test(cell) && !ours.test(cell) && !/^-?[\d.]+$/.test(cell)).toBe(
        false,
      );
      expect(cell).toContain(text);
    }),
    { numRuns: 1000 },
  );
});
