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
