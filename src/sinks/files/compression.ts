import type { Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import { assertNever } from '../../runtime/assert-never.ts';
import type { ByteTarget } from './record-writer.ts';

export type Compression = 'none' | 'gzip' | 'zstd';

/** What compression adds to the name of a CSV or JSONL file. */
export const compressionSuffix = { none: '', gzip: '.gz', zstd: '.zst' } as const satisfies Record<
  Compression,
  string
>;

/** A target that compresses what goes to the other one. */
export function compressInto(target: ByteTarget, compress: Compression): ByteTarget {
  const compression = compressor(compress);
  if (compression === undefined) return target;
  const stream = compressStream(compression, target.write);
  return {
    write: stream.write,
    async seal() {
      await stream.end();
      return target.seal();
    },
  };
}

/** Passes on what a stream of zlib makes of the bytes that it is given. */
export function compressStream(
  stream: Transform,
  passOn: (packed: Uint8Array) => Promise<void>,
): { write(bytes: Uint8Array): Promise<void>; end(): Promise<void> } {
  const pump = async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) await passOn(chunk);
  };
  const pumped = pump();
  // The next `write` or `end` throws the error. Until then it must not count as unhandled.
  pumped.catch(() => {});
  return {
    async write(bytes) {
      const { promise: taken, resolve } = Promise.withResolvers<void>();
      stream.write(bytes, () => resolve());
      // When what follows fails the stream is destroyed and takes no more, hence the race.
      await Promise.race([taken, pumped]);
    },
    async end() {
      stream.end();
      await pumped;
    },
  };
}

function compressor(compress: Compression) {
  switch (compress) {
    case 'none':
      return undefined;
    case 'gzip':
      return createGzip();
    case 'zstd':
      return createZstdCompress();
    default:
      return assertNever(compress);
  }
}
