/** Node 26 makes the memory that small buffers share a little larger than `Buffer.poolSize`. */
const sharedBytes = Buffer.allocUnsafe(1).buffer.byteLength;

/**
 * Frees the memory of bytes that are not read any more. Otherwise they wait as old objects for V8 to
 * look through all of those, and their size makes V8 do so again and again. Small buffers share
 * memory with others and are left alone.
 */
export function giveBack({ buffer }: Uint8Array): void {
  const isShared = buffer.byteLength === sharedBytes;
  if (buffer instanceof ArrayBuffer && !isShared) buffer.transfer(0);
}
