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
  const stream = compressor(compress);
  if (stream === undefined) return target;

  const pump = async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) await target.write(chunk);
  };
  const pumped = pump();
  // The next `write` or `seal` throws the error. Until then it must not count as unhandled.
  pumped.catch(() => {});
  return {
    async write(bytes) {
      const { promise: taken, resolve } = Promise.withResolvers<void>();
      stream.write(bytes, () => resolve());
      // When the target fails the stream is destroyed and takes no more, hence the race.
      await Promise.race([taken, pumped]);
    },
    async seal() {
      stream.end();
      await pumped;
      return target.seal();
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
