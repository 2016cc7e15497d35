import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Bodies of answers that came together, compressed as one. */
export interface Bundle {
  readonly encoding: 'plain' | 'zstd';
  readonly bytes: Buffer;
  /** Bytes of all bodies before compression. */
  readonly plainLength: number;
}

/** Where the body of an answer lies in a bundle, with a checksum of its plain bytes. */
export interface BundledBody {
  readonly bundle: Bundle;
  readonly start: number;
  readonly length: number;
  readonly checksum: number;
}

/** Below this, compression costs more than it saves. */
const leastBytesToCompress = 256;
/**
 * Reading one answer decompresses its whole bundle, so bundles stay small. Each bundle needs tables of its own:
 * twice as many bodies take a seventh less time for each.
 */
const mostBodies = 32;
const mostBytes = 128 * 1_024;

/** Compresses bodies in groups, with a checksum for each body. */
export function bundleBodies(bodies: readonly Buffer[]): BundledBody[] {
  return groupsOf(bodies).flatMap((group) => {
    const bundle = pack(group.length === 1 && group[0] ? group[0] : Buffer.concat(group));
    let start = 0;
    return group.map((body) => {
      const place = { bundle, start, length: body.length, checksum: crc32(body) };
      start += body.length;
      return place;
    });
  });
}

/** The body of an answer in the plain bytes of its bundle; null where it is damaged. */
export function bodyIn(
  plain: Buffer,
  { start, length, checksum }: Omit<BundledBody, 'bundle'>,
): Buffer | null {
  const body = plain.subarray(start, start + length);
  return body.length === length && crc32(body) === checksum ? body : null;
}

function groupsOf(bodies: readonly Buffer[]): Buffer[][] {
  const groups: Buffer[][] = [];
  let bytes = 0;
  for (const body of bodies) {
    const last = groups.at(-1);
    bytes += body.length;
    if (last && last.length < mostBodies && bytes <= mostBytes) last.push(body);
    else {
      groups.push([body]);
      bytes = body.length;
    }
  }
  return groups;
}

/** Level 1 takes half the time of deflate at its fastest, for the same size. */
const fastest = { [constants.ZSTD_c_compressionLevel]: 1 };

function pack(plain: Buffer): Bundle {
  const plainLength = plain.length;
  const isSmall = plainLength < leastBytesToCompress;
  // Knowing the size beforehand, the library takes no more memory than the bodies need.
  const sizes = { pledgedSrcSize: plainLength, chunkSize: Math.max(plainLength >> 1, 64) };
  const bytes = isSmall ? plain : zstdCompressSync(plain, { params: fastest, ...sizes });
  return { encoding: isSmall ? 'plain' : 'zstd', plainLength, bytes };
}

/** Bounds the memory that a damaged bundle can ask for: none is compressed over a larger window. */
const smallWindow = { [constants.ZSTD_d_windowLogMax]: 20 };
const largestChunk = 1_024 * 1_024;

/** The plain bytes of a bundle; null where it is damaged. */
export function unpackBundle({ encoding, bytes, plainLength }: Bundle): Buffer | null {
  if (encoding === 'plain') return bytes;
  // One byte more than the body: zlib allocates a second chunk when the first is exactly full.
  const chunkSize = Math.min(Math.max(plainLength + 1, 64), largestChunk);
  try {
    return zstdDecompressSync(bytes, {
      params: smallWindow,
      chunkSize,
      maxOutputLength: Math.max(plainLength, 1),
    });
  } catch {
    return null;
  }
}
