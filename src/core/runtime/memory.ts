import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the memory for young objects at the size it has, and that for old ones near what they need.
 * Left alone, V8 lets both grow by a hundred megabytes in a process that makes much garbage, for
 * little speed; a run promises flat memory.
 */
export function holdMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Old objects are looked through when they have doubled; by itself V8 waits for much more.
  setFlagsFromString('--heap-growing-percent=100');
  // Threads that are started later begin with the size at which this one is held.
  setFlagsFromString('--min-semi-space-size=8');
}

/** Node 26 makes the memory that small buffers share a little larger than `Buffer.poolSize`. */
const sharedBytes = Buffer.allocUnsafe(1).buffer.byteLength;

/**
 * Frees the memory of bytes that are not read any more. Left to V8 they often wait as old objects
 * until it looks through all of those, and their size makes it do so again and again. Small buffers
 * share memory with others and keep it.
 */
export function releaseMemory({ buffer }: Uint8Array): void {
  const isShared = buffer.byteLength === sharedBytes;
  if (buffer instanceof ArrayBuffer && !isShared) buffer.transfer(0);
}
