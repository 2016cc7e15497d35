import { writeXlsx } from 'hucre/xlsx';
import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

const old = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0, 0, 0]);

test.each([
  ['leads.xls', old, /an old Excel workbook \(\.xls\).*open it and save it as an Excel workbook/],
  [
    'leads.xlsx',
    Buffer.from('name,site\nAcme,acme.com\n'),
    /is not an Excel workbook.*name it \.csv/,
  ],
  ['leads.xlsx', Buffer.alloc(0), /is empty/],
])('%s that is no workbook is refused', async (fileName, content, message) => {
  await expect(readBack(content, { fileName })).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringMatching(message),
  });
});

test('a workbook with a password is refused, with the remedy', async () => {
  const sheets = [{ name: 'Leads', rows: [['Website'], ['acme.com']] }];
  const zip = await writeXlsx({ sheets, encryption: { password: 'secret', spinCount: 1 } });
  await expect(readBack(Buffer.from(zip), { fileName: 'leads.xlsx' })).rejects.toThrow(
    /with a password: open it and save it .* without a password/,
  );
});

test('a sheet cannot be chosen in a list that is no workbook', async () => {
  await expect(readBack('Website\nacme.com\n', { sheet: 'Leads' })).rejects.toMatchObject({
    code: 'COLUMNS_UNCLEAR',
    message: expect.stringContaining('is not a workbook; remove --sheet'),
  });
});

test('with format csv a workbook is refused', async () => {
  const zip = Buffer.from(await writeXlsx({ sheets: [{ name: 'A', rows: [['x']] }] }));
  await expect(readBack(zip, { format: 'csv' })).rejects.toThrow(
    /leave `format` away, or set it to xlsx/,
  );
});
