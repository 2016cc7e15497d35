import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { siblingModule, type Thread } from '../thread/thread.ts';

const chunkBytes = 256 * 1_024;

/** SHA-256 of bytes that are given in order. */
export interface Hasher {
  update(bytes: Uint8Array): void | Promise<void>;
  digest(): string | Promise<string>;
}

export function createHasher(): Hasher {
  const hash = createHash('sha256');
  return {
    update(bytes) {
      hash.update(bytes);
    },
    digest: () => hash.digest('hex'),
  };
}

/** Hashes while the main thread makes the next lines. Bytes in shared memory are not copied. */
export async function hasherIn(thread: Thread): Promise<Hasher> {
  const verbs = siblingModule(import.meta.url, 'serve-hasher');
  const hasher = await thread.open<Hasher>(verbs, undefined);
  return {
    update: (bytes) => hasher.ask('update', bytes),
    digest: () => hasher.ask('digest', undefined),
  };
}

export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await readChunks(path, (bytes) => hash.update(bytes));
  return hash.digest('hex');
}

/** Finds damage seven times as fast as `hashFile`, but is no proof against forgery. */
export async function crcFile(path: string): Promise<string> {
  let crc = 0;
  await readChunks(path, (bytes) => {
    crc = crc32(bytes, crc);
  });
  return crcText(crc);
}

/** `1234 → 000004d2` */
export function crcText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

async function readChunks(path: string, take: (bytes: Buffer) => void) {
  await using handle = await open(path);
  // A stream would leave a new buffer for each part to the garbage collector.
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunkBytes);
    if (bytesRead === 0) return;
    take(chunk.subarray(0, bytesRead));
  }
}
