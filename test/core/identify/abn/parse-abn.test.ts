import { expect, test } from 'vitest';
import { identifyCell } from '../../../../src/core/identify/identify-cell.ts';
import { digitsOf } from '../../../../src/core/identify/parse-abn.ts';
import { outcome } from '../../../support/outcome.ts';

const taxOffice = 'abn 51824753556';
const fromAcn = 'abn 53004085616 from acn';

test.each([
  // Words and punctuation around the number
  ['ABN51824753556', taxOffice],
  ['A.B.N. 51 824 753 556', taxOffice],
  ['Acme Pty Ltd (ABN 51 824 753 556)', taxOffice],
  ['AU51824753556', taxOffice],
  ['51 824 753 556 (GST registered since 2000)', taxOffice],
  ['51‑824‑753‑556', taxOffice],
  ['51−824−753−556', taxOffice],
  ['51,824,753,556.00', taxOffice],
  ['51.824.753.556', taxOffice],
  // Two numbers that name one company, and two that do not
  ['ABN 53 004 085 616 ACN 004 085 616', 'abn 53004085616'],
  ['ACN 004 085 616 / ABN 53 004 085 616', 'abn 53004085616'],
  ['51824753556\n51 824 753 556', taxOffice],
  ['ABN 51824753556 ACN 004085616', 'multiple_values'],
  ['51 824 753 556 / 47 065 475 149', 'multiple_values'],
  ['51 824 753 556 47 065 475 149', 'multiple_values'],
  // Branches
  ['51824753556/001', taxOffice],
  ['ABN 51824753556 004', taxOffice],
  ['51 824 753 556 0041', 'abn_length'],
  // Company numbers
  ['004 085 616', fromAcn],
  ['ACN 004 085 616', fromAcn],
  ['A.C.N. 004085616', fromAcn],
  ['004 085 616 (ACN)', fromAcn],
  ['ARBN 004085616', fromAcn],
  ['ABN/ACN: 004 085 616', fromAcn],
  ['ACN no. 4085616', fromAcn],
  ['ACN 4085616.0', fromAcn],
  ['004 085 617', 'abn_checksum'],
  ['ACN 4085617', 'abn_checksum'],
  ['ACN 123456', 'abn_length'],
  ['4085616', 'abn_length'],
  ['Ref 004 085 616', 'abn_length'],
  // What spreadsheets do
  ['5.18E+10', 'precision_lost'],
  ['5.18248e10', 'precision_lost'],
  ['5,18E+10', 'precision_lost'],
  ['ABN 5.18E+10', 'precision_lost'],
  ['5.1824753556E+10', taxOffice],
  ['5.1824753557E+10', 'abn_checksum'],
  ['51824800000', 'precision_lost'],
  ['51800000000.0', 'precision_lost'],
  // Rounded numbers that were formatted in groups again
  ['51 824 750 000', 'precision_lost'],
  ['ABN 51 824 800 000', 'precision_lost'],
  // Fewer digits than an ABN has, none of them lost
  ['6.5475149E+7', 'abn_length'],
  ['ACN 6.5475149E+7', 'abn 47065475149 from acn'],
  ['6.547515E+7', 'precision_lost'],
  ['00000000000', 'abn_checksum'],
  // Check digits that the modulus alone would accept
  ['10000000000', 'precision_lost'],
  ['10 000 000 000', 'precision_lost'],
  ['10 000 000 001', 'abn_checksum'],
  ['99 000 000 000', 'abn 99000000000'],
  // Other registers
  ['9429036975273', 'unsupported_register'],
  ['94 2903 6975 273', 'unsupported_register'],
  ['NZBN: 9429036975274', 'unsupported_register'],
  ['9429036975274', 'unsupported_register'],
  ['9429036975273.0', 'unsupported_register'],
  ['201912345K', 'unsupported_register'],
  ['53012345d', 'unsupported_register'],
  ['T08LL1234A', 'unsupported_register'],
  ['UEN 201912345K', 'unsupported_register'],
  // No number at all, or another
  ['abc', 'abn_length'],
  ['acme.com.au', 'abn_length'],
  ['ABN: n/a', 'abn_length'],
  ['(02) 9999 9999', 'abn_length'],
  ['51 824 753 55G', 'abn_length'],
  ['518247535561', 'abn_length'],
])('%j gives %s', (text, expected) => {
  expect(outcome(identifyCell(text, 'abn'))).toBe(expected);
});

test('the digits of a number are kept without checking it', () => {
  expect(digitsOf('ABN: ５１-824')).toBe('51824');
  expect(digitsOf('none')).toBe('');
});
