import { DossierError } from '../errors.ts';
import type { PeekedBytes } from './peek-bytes.ts';

const zipMagic = Buffer.from('PK\x03\x04', 'latin1');
/** The container of Office files before 2007, and of those with a password since. */
const oldMagic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const protectedMark = Buffer.from('EncryptedPackage', 'utf16le');
const mebibyte = 1024 * 1024;
const mostBytes = 512 * mebibyte;

/** Whether bytes begin like a workbook, whatever their name says. */
export function isZip(head: Buffer): boolean {
  return head.subarray(0, zipMagic.length).equals(zipMagic);
}

/** All bytes of a workbook, which is of use only when it is whole. */
export async function collectWorkbook(name: string, bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) {
      throw unreadable(
        `${name} is a workbook of more than ${mostBytes / mebibyte} MB: save it as CSV, which is read row by row`,
      );
    }
  }
  return Buffer.concat(chunks);
}

/** Says what a file is that is called a workbook and begins otherwise. */
export async function refuseNoWorkbook(name: string, raw: PeekedBytes): Promise<never> {
  if (raw.head.length === 0) throw unreadable(`${name} is empty: it holds no bytes at all`);
  if (!raw.head.subarray(0, oldMagic.length).equals(oldMagic)) {
    throw unreadable(
      `${name} is no Excel workbook, though it is called one: if it holds text, name it .csv`,
    );
  }
  const bytes = await collectWorkbook(name, raw.bytes);
  throw unreadable(
    bytes.includes(protectedMark)
      ? `${name} is protected with a password: open it, take the password away (File, Info, Protect Workbook) and save it, or save it as CSV`
      : `${name} is an Excel workbook of the old format (.xls): open it and save it as an Excel workbook (.xlsx) or as CSV`,
  );
}

function unreadable(message: string): DossierError {
  return new DossierError('INPUT_UNREADABLE', message);
}
