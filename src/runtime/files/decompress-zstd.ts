import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';

/**
 * Decompresses zstd of one or more frames. Node's own stream ends after a frame that is followed
 * by another in the same chunk and drops the rest without an error (pzstd and `cat a.zst b.zst`
 * make such files), so what it left over is given to a fresh stream.
 */
export async function* decompressZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = source[Symbol.asyncIterator]();
  let leftOver: Buffer[] = [];
  // A chunk that was asked for when a stream ended belongs to the next one.
  let asked: Promise<IteratorResult<Buffer>> | undefined;
  do {
    const decompressor = createZstdDecompress();
    const fed: { chunk: Buffer; startsAt: number }[] = [];
    let fedBytes = 0;
    let isOver = false;

    const remember = (chunk: Buffer): Buffer => {
      while (fed[0] && fed[0].startsAt + fed[0].chunk.length <= decompressor.bytesWritten) {
        fed.shift();
      }
      fed.push({ chunk, startsAt: fedBytes });
      fedBytes += chunk.length;
      return chunk;
    };
    const unread = leftOver;
    async function* feed(): AsyncGenerator<Buffer> {
      for (const chunk of unread) yield remember(chunk);
      for (;;) {
        asked ??= input.next();
        const next = await asked;
        if (next.done || isOver) return;
        asked = undefined;
        yield remember(next.value);
      }
    }

    // Errors of either side reach the reader below; pipeline only has to pass them on.
    pipeline(Readable.from(feed(), { objectMode: false }), decompressor, () => {});
    yield* decompressor as AsyncIterable<Buffer>;
    isOver = true;

    leftOver = fed
      .map(({ chunk, startsAt }) =>
        chunk.subarray(Math.max(0, decompressor.bytesWritten - startsAt)),
      )
      .filter((chunk) => chunk.length > 0);
  } while (leftOver.length > 0);
}
