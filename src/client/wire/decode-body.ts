import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { BodyBudget, BodyShare } from './body-budget.ts';
import { BodyTooLargeError, errorBodyBytes, type HttpAnswer } from './exchange.ts';

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const decoders = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
]);

/** Every server knows one of them. */
export const acceptEncoding = [...decoders.keys()].join(', ');

/** Enough at the first try for nearly every answer. */
const leastBytes = 64 * 1_024;
const usualRatio = 16;

/** A proxy may compress again what is compressed. More layers than this is no server but an attack. */
const maxLayers = 3;

/**
 * The plain body. The limit holds for what comes out, so a small bomb stays small. The status of an
 * error says enough, so its body is empty where it cannot be decompressed or is long.
 */
export async function decodeBody(
  { status, headers, body }: HttpAnswer,
  maxBodyBytes: number,
  bodies: BodyBudget,
  share: BodyShare,
): Promise<Buffer> {
  const encoding = headers['content-encoding'];
  if (!encoding || body.length === 0) return body;
  const isError = status >= 300;
  const maxBytes = isError ? Math.min(maxBodyBytes, errorBodyBytes) : maxBodyBytes;
  const layers = String(encoding).toLowerCase().split(/, */).reverse();
  try {
    if (layers.length > maxLayers) throw new Error('the answer is compressed too often');
    let plain = body;
    for (const layer of layers) plain = await decodeWithin(plain, layer, maxBytes, bodies, share);
    return plain;
  } catch (error) {
    if (isError) return Buffer.alloc(0);
    throw error;
  }
}

/**
 * Decompresses into memory of the usual size, and into more only where that is too small. The size is not
 * known before, and counting the largest for every body would hold back small answers.
 */
async function decodeWithin(
  body: Buffer,
  encoding: string,
  maxBytes: number,
  bodies: BodyBudget,
  share: BodyShare,
): Promise<Buffer> {
  if (encoding === 'identity') return body;
  const decode = decoders.get(encoding);
  if (!decode) throw new Error('the answer is compressed in a way not asked for');
  let bytes = Math.min(maxBytes, Math.max(leastBytes, usualRatio * body.length));
  for (;;) {
    await bodies.reserve(share, bytes);
    const plain = await decode(body, { maxOutputLength: bytes }).catch((error: unknown) => {
      bodies.giveBack(share, bytes);
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
    });
    if (plain) {
      bodies.giveBack(share, bytes - plain.length + body.length);
      return plain;
    }
    if (bytes === maxBytes) throw new BodyTooLargeError(`the answer has over ${maxBytes} bytes`);
    bytes = Math.min(maxBytes, usualRatio * bytes);
  }
}
