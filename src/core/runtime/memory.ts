import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the memory of a run flat. By default V8 lets both heaps grow by 100 MB for little speed.
 * Call early: while modules load, the space for young objects grows to twice what a run needs.
 */
export function holdMemory(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  // Collects old objects when they have doubled; the default waits much longer.
  setFlagsFromString('--heap-growing-percent=100');
  // Gives threads that start later the same space for young objects as this one.
  setFlagsFromString('--min-semi-space-size=8');
}

/** Measured, because Node 26 makes the shared pool slightly larger than `Buffer.poolSize`. */
const sharedBytes = Buffer.allocUnsafe(1).buffer.byteLength;

/**
 * Frees a buffer at once, because unused buffers trigger full collections. Skips small buffers,
 * because they share memory.
 */
export function releaseMemory({ buffer }: Uint8Array): void {
  const isShared = buffer.byteLength === sharedBytes;
  if (buffer instanceof ArrayBuffer && !isShared) buffer.transfer(0);
}
