import type { ObjectSource } from './object-store.ts';

export interface Part {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Gives the memory back for a later part. */
  release(): void;
}

const mebibyte = 1_024 * 1_024;
const usualPartBytes = 8 * mebibyte;
/** What S3 allows. */
const mostParts = 10_000;

/** Files of 80 GB and more have larger parts, as there may be 10,000. */
export function partBytesFor(size: number): number {
  const needed = Math.ceil(size / mostParts / mebibyte) * mebibyte;
  return Math.max(usualPartBytes, needed);
}

/**
 * Cuts a source into parts of a size, of which the last is smaller; an empty source is one empty part. The
 * memory of a part is used again when it is released, as collecting it comes too late for a large file.
 */
export async function* cutParts(source: ObjectSource, partBytes: number): AsyncGenerator<Part> {
  const spare: Buffer[] = [];
  const room = Math.min(partBytes, source.size);
  const take = () => spare.pop() ?? Buffer.allocUnsafe(room);
  let cut = 0;
  const partOf = (buffer: Buffer, length: number): Part => {
    cut += 1;
    const release = () => void spare.push(buffer);
    return { number: cut, bytes: buffer.subarray(0, length), release };
  };
  let total = 0;
  let buffer = take();
  let filled = 0;
  for await (const chunk of source.open()) {
    total += chunk.length;
    if (total > source.size) break;
    for (let rest = chunk; rest.length > 0; ) {
      if (filled === room) {
        yield partOf(buffer, filled);
        buffer = take();
        filled = 0;
      }
      const fitting = rest.subarray(0, room - filled);
      buffer.set(fitting, filled);
      filled += fitting.length;
      rest = rest.subarray(fitting.length);
    }
  }
  if (total !== source.size) throw new Error('a file has changed while it was uploaded');
  yield partOf(buffer, filled);
}
