import type { Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

/** How CSV and JSONL files are compressed, and what that adds to their names. */
export const compressions = {
  none: { suffix: '', open: undefined },
  gzip: { suffix: '.gz', open: () => createGzip() },
  zstd: { suffix: '.zst', open: () => createZstdCompress() },
};
export type Compression = keyof typeof compressions;

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
