import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { snappyUncompress } from 'hyparquet/src/snappy.js';
import { Damage } from './damage.ts';

type Decompress = (bytes: Uint8Array, size: number) => Uint8Array;

/** A copy of 64 bytes takes three in Snappy. */
const mostSnappyRatio = 32;

/** No decompressor makes more bytes than the page declares. */
const decompressors: Readonly<Record<string, Decompress>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY: (bytes, size) => {
    if (size > bytes.length * mostSnappyRatio) throw new Damage('a page is longer than it can be');
    const plain = new Uint8Array(size);
    snappyUncompress(bytes, plain);
    return plain;
  },
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(1, size) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, size) }),
};

export function isKnownCodec(codec: string): boolean {
  return Object.hasOwn(decompressors, codec);
}

/** Refuses what is not as long as the page says. */
export function decompressPage(codec: string, bytes: Uint8Array, size: number): Uint8Array {
  const decompress = decompressors[codec];
  if (!decompress) throw new Damage(`it is compressed with ${codec}`);
  let plain: Uint8Array;
  try {
    // A page that holds nothing is compressed to nothing by some writers.
    plain = bytes.length === 0 ? bytes : decompress(bytes, size);
  } catch (error) {
    throw new Damage('a page cannot be decompressed', { cause: error });
  }
  if (plain.length !== size) throw new Damage('a page is not as long as it says');
  return plain;
}
