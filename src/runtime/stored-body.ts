import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { StoredBody } from '../contract/call.ts';
import { parseJson } from './parse-json.ts';

/** Below this, compression costs more than it saves. */
const leastBytesToCompress = 256;

/** Keeps an answer as it came, compressed, with a checksum of the plain bytes. */
export function storeBody(plain: Buffer): StoredBody {
  const isSmall = plain.length < leastBytesToCompress;
  return {
    encoding: isSmall ? 'plain' : 'zstd',
    body: isSmall ? plain : compress(plain),
    checksum: crc32(plain),
  };
}

/** The plain bytes, or null when they are not those that were stored: a damaged body is no answer. */
export function readBody({ encoding, body, checksum }: StoredBody): Buffer | null {
  try {
    const plain = encoding === 'zstd' ? decompress(body) : body;
    return crc32(plain) === checksum ? plain : null;
  } catch {
    return null;
  }
}

/** Half the time of deflate at its fastest, for bodies of the same size. */
const fastest = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Knowing the size beforehand, the library takes no more memory than the body needs. */
function compress(plain: Buffer): Buffer {
  const sizes = { pledgedSrcSize: plain.length, chunkSize: Math.max(plain.length >> 1, 64) };
  return zstdCompressSync(plain, { params: fastest, ...sizes });
}

/** A damaged body must not ask for memory as it likes: none was compressed over a larger window. */
const smallWindow = { [constants.ZSTD_d_windowLogMax]: 20 };

/** Answers shrink to a quarter or so: mostly one chunk holds the whole of one. */
function decompress(body: Buffer): Buffer {
  return zstdDecompressSync(body, { params: smallWindow, chunkSize: body.length * 4 + 64 });
}

const decoder = new TextDecoder();

/** An answer that has just come is whole, whatever it was made ready for. */
export function plainBody(body: Buffer | StoredBody): Buffer {
  if (Buffer.isBuffer(body)) return body;
  const plain = readBody(body);
  if (plain) return plain;
  throw new Error('an answer was damaged between two threads');
}

/** Reads an answer. A byte order mark before it is no part of it, whatever JSON.parse thinks. */
export function readAnswerJson(body: Buffer): unknown {
  return parseJson(decoder.decode(body));
}
