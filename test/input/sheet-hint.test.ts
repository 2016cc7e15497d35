import { expect, test } from 'vitest';
import { sheetHint } from '../../src/input/sheet-hint.ts';

test('a workbook with more sheets is told which was read and which there are', () => {
  expect(sheetHint({ name: 'Cover', others: ['Leads', 'Old "leads"'] })).toBe(
    '\nThis is the sheet "Cover"; choose another with --sheet: "Leads", "Old \\"leads\\""',
  );
});

test.each([undefined, { name: 'Leads', others: [] }])('%j has no other to offer', (sheet) => {
  expect(sheetHint(sheet)).toBe('');
});
