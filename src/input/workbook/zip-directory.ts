import { inflateRawSync, constants as zlib } from 'node:zlib';

/** A file inside a zip, as the central directory describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly storedBytes: number;
  /** Size after unpacking, as declared; it may be wrong. */
  readonly plainBytes: number;
  /** Offset of the local header; the stored bytes follow it. */
  readonly headerAt: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const headerSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;
const maxCommentBytes = 0xffff;
/** A size of 32 bits with this value means that the real one is in the Zip64 extra field. */
const inZip64Field = 0xffff_ffff;
const zip64FieldId = 1;

/** The files of a zip; undefined when the bytes are no zip or are cut short. */
export function readZipDirectory(zip: Buffer): ZipEntry[] | undefined {
  const endAt = findEnd(zip);
  if (endAt === -1) return undefined;
  const count = zip.readUInt16LE(endAt + 10);
  const entries: ZipEntry[] = [];
  let at = zip.readUInt32LE(endAt + 16);
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > zip.length || zip.readUInt32LE(at) !== entrySignature) return undefined;
    const nameEnd = at + entryBytes + zip.readUInt16LE(at + 28);
    const extraEnd = nameEnd + zip.readUInt16LE(at + 30);
    // The Zip64 extra field holds the three values in this order.
    const sizes = [24, 20, 42].map((field) => zip.readUInt32LE(at + field));
    const [plainBytes = 0, storedBytes = 0, headerAt = 0] = sizes.includes(inZip64Field)
      ? readZip64Sizes(zip.subarray(nameEnd, extraEnd), sizes)
      : sizes;
    const name = zip.toString('utf8', at + entryBytes, nameEnd);
    const isDeflated = zip.readUInt16LE(at + 10) === 8;
    entries.push({ name, isDeflated, storedBytes, plainBytes, headerAt });
    at = extraEnd + zip.readUInt16LE(at + 32);
  }
  return entries;
}

/**
 * Unpacks the beginning of a file in a zip: as much text as `maxStoredBytes` of its stored bytes
 * give. Empty when it cannot be unpacked.
 */
export function readZipText(zip: Buffer, entry: ZipEntry, maxStoredBytes: number): string {
  const { headerAt } = entry;
  if (headerAt + headerBytes > zip.length || zip.readUInt32LE(headerAt) !== headerSignature) {
    return '';
  }
  const extra = zip.readUInt16LE(headerAt + 26) + zip.readUInt16LE(headerAt + 28);
  const start = headerAt + headerBytes + extra;
  const stored = zip.subarray(start, start + Math.min(entry.storedBytes, maxStoredBytes));
  if (!entry.isDeflated) return stored.toString('utf8');
  try {
    // The stored bytes may be cut off in the middle: without a sync flush that is an error.
    const options = { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: maxPlainBytes };
    return inflateRawSync(stored, options).toString('utf8');
  } catch {
    return '';
  }
}

const maxPlainBytes = 32 * 1024 * 1024;

/** Some programs write Zip64 sizes even for small files. */
function readZip64Sizes(extra: Buffer, sizes: readonly number[]): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== zip64FieldId) {
    at += 4 + extra.readUInt16LE(at + 2);
  }
  at += 4;
  return sizes.map((size) => {
    if (size !== inZip64Field || at + 8 > extra.length) return size;
    at += 8;
    return Number(extra.readBigUInt64LE(at - 8));
  });
}

function findEnd(zip: Buffer): number {
  const lowest = Math.max(0, zip.length - endBytes - maxCommentBytes);
  for (let at = zip.length - endBytes; at >= lowest; at -= 1) {
    if (zip.readUInt32LE(at) === endSignature) return at;
  }
  return -1;
}
