import { DossierError } from '../../errors.ts';
import type { PeekedBytes } from '../bytes/peek-bytes.ts';

const zipMagic = Buffer.from('PK\x03\x04', 'latin1');
/** A compound file: the container of .xls workbooks and of .xlsx workbooks with a password. */
const compoundFileMagic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const encryptedStreamName = Buffer.from('EncryptedPackage', 'utf16le');
const mebibyte = 1024 * 1024;
const maxBytes = 512 * mebibyte;

export function isZip(head: Buffer): boolean {
  return head.subarray(0, zipMagic.length).equals(zipMagic);
}

/** Reads a workbook whole, because the directory of a zip stands at its end. */
export async function collectWorkbook(name: string, bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) {
      throw unreadable(
        `${name} is a workbook of more than ${maxBytes / mebibyte} MB: save it as CSV, which is read row by row`,
      );
    }
  }
  return Buffer.concat(chunks);
}

/** Throws for a file that is named like a workbook but is no zip, and says what it is instead. */
export async function refuseNonWorkbook(name: string, raw: PeekedBytes): Promise<never> {
  if (raw.head.length === 0) throw unreadable(`${name} is empty: it holds no bytes at all`);
  if (!raw.head.subarray(0, compoundFileMagic.length).equals(compoundFileMagic)) {
    throw unreadable(
      `${name} is no Excel workbook, though it is called one: if it holds text, name it .csv`,
    );
  }
  const bytes = await collectWorkbook(name, raw.bytes);
  throw unreadable(
    bytes.includes(encryptedStreamName)
      ? `${name} is protected with a password: open it, take the password away (File, Info, Protect Workbook) and save it, or save it as CSV`
      : `${name} is an Excel workbook of the old format (.xls): open it and save it as an Excel workbook (.xlsx) or as CSV`,
  );
}

function unreadable(message: string): DossierError {
  return new DossierError('INPUT_UNREADABLE', message);
}
