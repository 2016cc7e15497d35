import { unreadable } from './list-errors.ts';

const knownFiles: readonly (readonly [magic: string, what: string])[] = [
  [
    'PK\x03\x04',
    'an Excel workbook or another zip file, not text: remove `format`, or set it to xlsx',
  ],
  [
    '\xd0\xcf\x11\xe0',
    'an old Excel workbook (.xls), or one with a password: open it and save it as an Excel workbook (.xlsx) without a password, or as CSV',
  ],
  [
    '%PDF',
    'a PDF, not a list: ask for the list as CSV, or copy its table into a spreadsheet and save that as CSV',
  ],
  [
    'SQLite format 3\0',
    'a SQLite database, not a list: export the table as CSV (sqlite3 -csv -header FILE "select …")',
  ],
  ['PAR1', 'a Parquet file, not text: remove `format`, or set it to parquet'],
  ['PARE', 'an encrypted Parquet file: write it without encryption'],
];

const pageStart = /^(?:\xef\xbb\xbf)?\s*<(?:!--|!doctype html|html|head|body|script)/i;

export function refuseBinary(name: string, head: Buffer, isUtf16: boolean): void {
  if (pageStart.test(head.toString('latin1'))) {
    throw unreadable(
      `${name} is a web page, not a list: it may be a sign-in page, or a page that shows the file; download the file itself`,
    );
  }
  const start = head.toString('latin1', 0, 16);
  const known = knownFiles.find(([magic]) => start.startsWith(magic));
  if (known) throw unreadable(`${name} is ${known[1]}`);
  // UTF-16 text contains zero bytes.
  const zeroAt = isUtf16 ? -1 : head.indexOf(0);
  if (zeroAt === -1) return;
  throw unreadable(
    `${name} is not text: byte ${zeroAt + 1} is zero. ` +
      'Save it as CSV in UTF-8, or set `encoding: utf-16le` if it is UTF-16 text',
  );
}

export function isZip(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PK\x03\x04';
}

export function isParquet(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PAR1';
}

export function refuseOtherKind(name: string, head: Buffer, kind: 'xlsx' | 'parquet'): never {
  if (head.length === 0) throw unreadable(`${name} is empty: it has 0 bytes`);
  refuseBinary(name, head, true);
  const what = kind === 'xlsx' ? 'an Excel workbook' : 'a Parquet file';
  throw unreadable(`${name} is not ${what}; if it holds text, name it .csv`);
}
