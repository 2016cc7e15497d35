import { inflateRawSync, constants as zlib } from 'node:zlib';

/** A file inside a zip, as the directory at its end describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly storedBytes: number;
  /** What it says to unpack to. */
  readonly plainBytes: number;
  readonly headerAt: number;
}

const endMark = 0x06054b50;
const entryMark = 0x02014b50;
const headerMark = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;
const longestComment = 0xffff;
const seeExtra = 0xffff_ffff;
const longSizesId = 1;

/** The files of a zip, or undefined where the bytes are none or cut short. */
export function readZipDirectory(zip: Buffer): ZipEntry[] | undefined {
  const endAt = findEnd(zip);
  if (endAt === -1) return undefined;
  const count = zip.readUInt16LE(endAt + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(endAt + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > zip.length || zip.readUInt32LE(at) !== entryMark) return undefined;
    const nameEnd = at + entryBytes + zip.readUInt16LE(at + 28);
    const extraEnd = nameEnd + zip.readUInt16LE(at + 30);
    // In this order, because so they stand in the extra field.
    const sizes = [24, 20, 42].map((field) => zip.readUInt32LE(at + field));
    const [plainBytes = 0, storedBytes = 0, headerAt = 0] = sizes.includes(seeExtra)
      ? readLongSizes(zip.subarray(nameEnd, extraEnd), sizes)
      : sizes;
    const name = zip.toString('utf8', at + entryBytes, nameEnd);
    const isDeflated = zip.readUInt16LE(at + 10) === 8;
    entries.push({ name, isDeflated, storedBytes, plainBytes, headerAt });
    at = extraEnd + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * The text at the beginning of a file in a zip, from at most so many of its stored bytes; empty
 * where it cannot be read.
 */
export function readZipText(zip: Buffer, entry: ZipEntry, mostStoredBytes: number): string {
  const { headerAt } = entry;
  if (headerAt + headerBytes > zip.length || zip.readUInt32LE(headerAt) !== headerMark) return '';
  const extra = zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  const start = headerAt + headerBytes + extra;
  const stored = zip.subarray(start, start + Math.min(entry.storedBytes, mostStoredBytes));
  if (!entry.isDeflated) return stored.toString('utf8');
  try {
    // A beginning has no end mark, which only this way of flushing does not miss.
    const options = { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: mostPlainBytes };
    return inflateRawSync(stored, options).toString('utf8');
  } catch {
    return '';
  }
}

const mostPlainBytes = 32 * 1024 * 1024;

/** Some programs write sizes in 64 bits behind the name, even where 32 would do. */
function readLongSizes(extra: Buffer, sizes: readonly number[]): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== longSizesId) {
    at += 4 + extra.readUInt16LE(at + 2);
  }
  at += 4;
  return sizes.map((size) => {
    if (size !== seeExtra || at + 8 > extra.length) return size;
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  });
}

function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - endBytes - longestComment);
  for (let at = zip.length - endBytes; at >= lowest; at -= 1) {
    if (zip.readUInt32LE(at) === endMark) return at;
  }
  return -1;
}
