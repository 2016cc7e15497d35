import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { HttpResponse } from '../../providers/provider.ts';
import { BodyTooLargeError, mostErrorBytes } from './send-request.ts';

const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

export const acceptEncoding = Object.keys(decoders).join(', ');

/** Limits the decompressed size too, because a small body may be a decompression bomb. */
export async function decodeBody(
  { status, headers, body }: HttpResponse,
  maxBodyBytes: number,
): Promise<Buffer> {
  const encoding = String(headers['content-encoding']).toLowerCase();
  if (encoding === 'identity') return body;
  const isError = status >= 300;
  // The status and a short message are enough to judge an error.
  const maxBytes = isError ? Math.min(maxBodyBytes, mostErrorBytes) : maxBodyBytes;
  try {
    const decode = Object.hasOwn(decoders, encoding) && decoders[encoding as keyof typeof decoders];
    if (!decode) throw new Error('the answer uses an unexpected compression');
    return await decode(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (isError) return Buffer.alloc(0);
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? new BodyTooLargeError(`the answer is larger than ${maxBytes} bytes`) : error;
  }
}
