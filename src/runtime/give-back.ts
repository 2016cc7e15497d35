/** Node 26 makes the memory that small buffers share a little larger than `Buffer.poolSize`. */
const sharedBytes = Buffer.allocUnsafe(1).buffer.byteLength;

/**
 * Gives the memory of bytes back that nobody reads any more. Left alone they often wait as old
 * objects until V8 looks through all of those, and their size makes it do so again and again. Small
 * buffers share memory with others and are left alone.
 */
export function giveBack({ buffer }: Uint8Array): void {
  const isShared = buffer.byteLength === sharedBytes;
  if (buffer instanceof ArrayBuffer && !isShared) buffer.transfer(0);
}
