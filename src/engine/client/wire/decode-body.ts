import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import type { HttpResponse } from '../../providers/provider.ts';
import { type BodyShare, type LargeBodies, smallBodyBytes } from './large-bodies.ts';
import { BodyTooLargeError } from './send-request.ts';

const decoders = { gzip: promisify(gunzip), br: promisify(brotliDecompress) };

export const acceptEncoding = Object.keys(decoders).join(', ');

/** Limits the decompressed size too, because a small body may be a decompression bomb. */
export async function decodeBody(
  { status, headers, body }: HttpResponse,
  maxBodyBytes: number,
  bodies: LargeBodies,
  share: BodyShare,
): Promise<Buffer> {
  const encoding = String(headers['content-encoding']).toLowerCase();
  if (encoding === 'identity') return body;
  const isError = status >= 300;
  // The status and a short message are enough to judge an error.
  const maxBytes = isError ? Math.min(maxBodyBytes, smallBodyBytes) : maxBodyBytes;
  try {
    const decode = Object.hasOwn(decoders, encoding) && decoders[encoding as keyof typeof decoders];
    if (!decode) throw new Error('the answer uses an unexpected compression');
    const decodeUpTo = (maxOutputLength: number) =>
      decode(body, { maxOutputLength }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      });
    // Nearly every body is small, so try without a slot for large bodies first.
    let plain = await decodeUpTo(Math.min(maxBytes, smallBodyBytes));
    if (!plain && maxBytes > smallBodyBytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (!bodies.mayGrow(share, resolve)) await promise;
      plain = await decodeUpTo(maxBytes);
    }
    if (!plain) throw new BodyTooLargeError(`the answer is larger than ${maxBytes} bytes`);
    return plain;
  } catch (error) {
    if (isError) return Buffer.alloc(0);
    throw error;
  }
}
