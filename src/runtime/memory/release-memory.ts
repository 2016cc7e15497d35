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
