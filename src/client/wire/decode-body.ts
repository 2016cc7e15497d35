import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { decompressZstd } from '../../runtime/files/open-bytes.ts';
import type { BodyShare } from './body-budget.ts';
import { BodyTooLargeError, errorBodyBytes, type HttpAnswer } from './exchange.ts';

type Space = Pick<BodyShare, 'reserve' | 'giveBack'>;
type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflateZlib: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

/** Decompresses one frame or several; `zstdDecompress` drops all after the first. */
const inflateFrames: Decoder = async (body, { maxOutputLength }) => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of decompressZstd(Readable.from([body]))) {
    bytes += piece.length;
    if (bytes > maxOutputLength) {
      throw Object.assign(new Error('too large'), { code: 'ERR_BUFFER_TOO_LARGE' });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  // Half of the servers that say deflate leave out the zlib header, whose first byte ends in 8.
  deflate: (body, options) =>
    ((body[0] ?? 0) & 0x0f) === 8 ? inflateZlib(body, options) : inflateBare(body, options),
  br: promisify(brotliDecompress),
  zstd: inflateFrames,
  identity: async (body) => body,
};

export const acceptEncoding = 'gzip, deflate, br, zstd';

/** More layers than this is no server but an attack. */
const maxLayers = 3;

/**
 * The plain body. The limit holds for what comes out, so a small bomb stays small. The status of an
 * error says enough, so its body is empty where it cannot be decompressed or is long.
 */
export async function decodeBody(
  { status, headers, body }: HttpAnswer,
  maxBodyBytes: number,
  share: Space,
): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  if (encoding === undefined) return body;
  if (status < 300) return await decodeLayers(body, String(encoding), maxBodyBytes, share);
  const mostBytes = Math.min(maxBodyBytes, errorBodyBytes);
  return await decodeLayers(body, String(encoding), mostBytes, share).catch(() => Buffer.alloc(0));
}

async function decodeLayers(encoded: Buffer, encoding: string, maxBodyBytes: number, share: Space) {
  const encodings = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (encodings.length > maxLayers) throw new Error('the answer is compressed too often');
  let body = encoded;
  for (const name of encodings.reverse()) {
    const decode = decoders[name];
    if (!decode) throw new Error('the answer is compressed in a way not asked for');
    if (body.length > 0) body = await decodeWithin(decode, body, maxBodyBytes, share);
  }
  return body;
}

/** Enough at the first try for nearly every answer. */
const leastBytes = 64 * 1_024;
const usualRatio = 16;

/**
 * Decompresses into memory of the usual size, and into more only where that is too small. The size is not
 * known before, and counting the largest for every body would hold back small answers.
 */
async function decodeWithin(
  decode: Decoder,
  body: Buffer,
  maxBytes: number,
  share: Space,
): Promise<Buffer> {
  let bytes = Math.min(maxBytes, Math.max(leastBytes, usualRatio * body.length));
  for (;;) {
    await share.reserve(bytes);
    const plain = await decode(body, { maxOutputLength: bytes }).catch((error: unknown) => {
      share.giveBack(bytes);
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    });
    if (plain) {
      share.giveBack(bytes - plain.length + body.length);
      return plain;
    }
    if (bytes === maxBytes) throw new BodyTooLargeError(`the answer has over ${maxBytes} bytes`);
    bytes = Math.min(maxBytes, usualRatio * bytes);
  }
}
