export interface PeekedBytes {
  /** The first bytes: at least as many as were wanted, unless the source is shorter. */
  readonly head: Buffer;
  /** The source holds nothing beyond `head`. */
  readonly isWhole: boolean;
  /** All bytes, the head included. Ending this iterator early leaves the source open. */
  readonly bytes: AsyncGenerator<Buffer>;
}

/** Reads the beginning of a stream, and still yields the whole stream afterwards. */
export async function peekBytes(
  source: AsyncIterable<Buffer>,
  wantedBytes: number,
): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let headBytes = 0;
  let isWhole = false;
  while (headBytes < wantedBytes) {
    const next = await iterator.next();
    if (next.done) {
      isWhole = true;
      break;
    }
    chunks.push(next.value);
    headBytes += next.value.length;
  }
  return { head: Buffer.concat(chunks), isWhole, bytes: replay(chunks, iterator) };
}

/** Yields all bytes after the first `count`. */
export async function* skipBytes(
  bytes: AsyncIterable<Buffer>,
  count: number,
): AsyncGenerator<Buffer> {
  let left = count;
  for await (const chunk of bytes) {
    const rest = chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
    if (rest.length > 0) yield rest;
  }
}

async function* replay(
  chunks: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* chunks;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
