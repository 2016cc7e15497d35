import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { BodyTooLargeError, type HttpAnswer } from './exchange.ts';
import { type BodyShare, type LargeBodies, smallBodyBytes } from './large-bodies.ts';

const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

/** Every server knows one of them. */
export const acceptEncoding = Object.keys(decoders).join(', ');

/** A proxy may compress again what is compressed. More layers than this is no server but an attack. */
const maxLayers = 3;

/**
 * The plain body. The limit holds for what comes out, so a small bomb stays small. The status of an
 * error says enough, so its body is empty where it cannot be decompressed or is long.
 */
export async function decodeBody(
  { status, headers, body }: HttpAnswer,
  maxBodyBytes: number,
  bodies: LargeBodies,
  share: BodyShare,
): Promise<Buffer> {
  const isError = status >= 300;
  // Of an error only the beginning is kept: its status decides, its message is short.
  const maxBytes = isError ? Math.min(maxBodyBytes, smallBodyBytes) : maxBodyBytes;
  const layers = String(headers['content-encoding']).toLowerCase().split(/, */).reverse();
  try {
    if (layers.length > maxLayers) throw new Error('the answer is compressed too often');
    let plain = body;
    for (const layer of layers) plain = await decodeLayer(plain, layer);
    return plain;
  } catch (error) {
    if (isError) return Buffer.alloc(0);
    throw error;
  }

  async function decodeLayer(packed: Buffer, encoding: string): Promise<Buffer> {
    if (encoding === 'identity') return packed;
    const decode = Object.hasOwn(decoders, encoding) && decoders[encoding as keyof typeof decoders];
    if (!decode) throw new Error('the answer is compressed in a way not asked for');
    const decodeUpTo = (maxOutputLength: number) =>
      decode(packed, { maxOutputLength }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      });
    // The size is not known before, and nearly every body is small.
    let plain = await decodeUpTo(Math.min(maxBytes, smallBodyBytes));
    if (!plain && maxBytes > smallBodyBytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (!bodies.mayGrow(share, resolve)) await promise;
      plain = await decodeUpTo(maxBytes);
    }
    if (!plain) throw new BodyTooLargeError(`the answer has over ${maxBytes} bytes`);
    return plain;
  }
}
