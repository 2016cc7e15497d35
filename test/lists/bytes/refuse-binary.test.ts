import { expect, test } from 'vitest';
import { readBack } from '../../support/read-back.ts';

test.each([
  [
    'an old workbook',
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    /is an old Excel workbook \(\.xls\), or one with a password.*or as CSV/,
  ],
  ['a PDF', '%PDF-1.7\n', /is a PDF.*as CSV/],
  ['a database', 'SQLite format 3\0\x10\0', /is a SQLite database.*export the table as CSV/],

  ['a web page', '\xef\xbb\xbf <!DOCTYPE HTML>\n<html>', /is a web page, not a list/],
  ['other bytes', 'name,site\n\x01\0\0', /is not text: byte 12 is zero.*encoding: utf-16le/],
])('%s named like a list is refused before a row is read', async (_, content, message) => {
  await expect(readBack(Buffer.from(content, 'latin1'))).rejects.toMatchObject({
    code: 'INPUT_UNREADABLE',
    message: expect.stringMatching(message),
  });
});

test('a company called PK is no workbook', async () => {
  expect((await readBack('PK\nPK Ltd\n')).cells).toEqual([['PK Ltd']]);
});
