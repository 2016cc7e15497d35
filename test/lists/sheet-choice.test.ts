import { expect, test } from 'vitest';
import { sheetHint } from '../../src/lists/input-row.ts';

test('the hint names the sheet that was read and the other sheets', () => {
  expect(sheetHint({ name: 'Cover', others: ['Leads', 'Old "leads"'] })).toBe(
    '\nThis is the sheet "Cover"; choose another with --sheet: "Leads", "Old \\"leads\\""',
  );
});

test.each([undefined, { name: 'Leads', others: [] }])(
  'without another sheet there is no hint: %j',
  (sheet) => {
    expect(sheetHint(sheet)).toBe('');
  },
);
