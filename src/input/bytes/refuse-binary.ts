import { DossierError } from '../../errors.ts';

/** Binary files that users pass instead of a list, recognised by their first bytes. */
const knownFiles: readonly { magic: Buffer; what: string; advice: string }[] = [
  {
    magic: Buffer.from('PK\x03\x04', 'latin1'),
    what: 'an Excel workbook or another zip file, not text',
    advice: 'leave `format` away, or set it to xlsx',
  },
  {
    magic: Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
    what: 'an old or a protected Excel workbook',
    advice: 'open it and save it as an Excel workbook (.xlsx) without a password, or as CSV',
  },
  {
    magic: Buffer.from('%PDF'),
    what: 'a PDF, not a list',
    advice: 'ask for the list as CSV, or copy its table into a spreadsheet and save that as CSV',
  },
  {
    magic: Buffer.from('SQLite format 3\0'),
    what: 'a SQLite database, not a list',
    advice: 'export the table as CSV (sqlite3 -csv -header FILE "select …")',
  },
  {
    magic: Buffer.from('PAR1'),
    what: 'a Parquet file, not text',
    advice: 'leave `format` away, or set it to parquet',
  },
];

/** The beginning of an HTML document, after a byte order mark or none. */
const pageStart = /^(?:\xef\xbb\xbf)?\s*<(?:!--|!doctype html|html|head|body|script)/i;

/** Whether a page was saved, or sent, in the place of a list: one that asks to sign in, mostly. */
export function isWebPage(head: Buffer): boolean {
  return pageStart.test(head.toString('latin1'));
}

/** Throws for a file that is not text: read as CSV, it would give rows of nonsense. */
export function refuseBinary(name: string, head: Buffer, isUtf16: boolean): void {
  if (isWebPage(head)) {
    throw new DossierError(
      'INPUT_UNREADABLE',
      `${name} is a web page, not a list: it may have been saved where a download needs you to sign in`,
    );
  }
  for (const { magic, what, advice } of knownFiles) {
    if (head.subarray(0, magic.length).equals(magic)) {
      throw new DossierError('INPUT_UNREADABLE', `${name} is ${what}: ${advice}`);
    }
  }
  // Text in UTF-16 has zero bytes too.
  const zeroAt = isUtf16 ? -1 : head.indexOf(0);
  if (zeroAt === -1) return;
  throw new DossierError(
    'INPUT_UNREADABLE',
    `${name} is not text: byte ${zeroAt + 1} is zero. ` +
      'Save it as CSV in UTF-8, or set `encoding: utf-16le` if it is text of that kind',
  );
}
