import { join } from 'node:path';
import type { StartOptions } from './world.ts';

/** What happens to a process that is about to send its n-th request; 0 is before anything else. */
export interface Stall {
  readonly atSend: number;
  readonly does: 'block the loop' | 'set the clock';
  /** How long, or by how much from now on. */
  readonly ms: number;
}

const module = join(import.meta.dirname, 'at-send.ts');

export function withStalls(stalls: readonly Stall[]): StartOptions {
  return { nodeOptions: ['--import', module], env: { FAULT_STALLS: JSON.stringify(stalls) } };
}
