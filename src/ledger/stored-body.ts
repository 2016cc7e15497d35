import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '../runtime/parse-json.ts';

export interface StoredBody {
  readonly encoding: 'plain' | 'deflate';
  readonly body: Buffer;
  readonly checksum: number;
}

/** Below this, compression costs more than it saves. */
const leastBytesToCompress = 256;

/** Keeps an answer as it came, compressed, with a checksum of the plain bytes. */
export function storeBody(plain: Buffer): StoredBody {
  const isSmall = plain.length < leastBytesToCompress;
  return {
    encoding: isSmall ? 'plain' : 'deflate',
    // Level 1 takes half the time of the default and gives bodies hardly larger.
    body: isSmall ? plain : deflateRawSync(plain, { level: 1, chunkSize: plain.length }),
    checksum: crc32(plain),
  };
}

/** The plain bytes, or null when they are not those that were stored: a damaged body is no answer. */
export function readBody({ encoding, body, checksum }: StoredBody): Buffer | null {
  try {
    const plain =
      encoding === 'deflate' ? inflateRawSync(body, { chunkSize: body.length * 4 }) : body;
    return crc32(plain) === checksum ? plain : null;
  } catch {
    return null;
  }
}

const decoder = new TextDecoder();

/** Reads an answer. A byte order mark before it is no part of it, whatever JSON.parse thinks. */
export function readAnswerJson(body: Buffer): unknown {
  return parseJson(decoder.decode(body));
}
