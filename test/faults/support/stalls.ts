import { join } from 'node:path';
import type { StartOptions } from './world.ts';

/** A stall of the process before its n-th request; 0 is the start of the process. */
export interface Stall {
  readonly atSend: number;
  readonly does: 'block the loop' | 'set the clock';
  /** The length of the stall, or the step of the wall clock. */
  readonly ms: number;
}

const module = join(import.meta.dirname, 'at-send.ts');

export function withStalls(stalls: readonly Stall[]): StartOptions {
  return { nodeOptions: ['--import', module], env: { FAULT_STALLS: JSON.stringify(stalls) } };
}
