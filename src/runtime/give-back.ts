/**
 * Frees the memory of bytes that are not read any more. Otherwise they wait as old objects for V8 to
 * look through all of those, and their size makes V8 do so again and again. Small buffers share
 * memory with others and are left alone.
 */
export function giveBack({ buffer }: Uint8Array): void {
  const isShared = buffer.byteLength === Buffer.poolSize;
  if (buffer instanceof ArrayBuffer && !isShared) buffer.transfer(0);
}
