import { join } from 'node:path';
import type { StartOptions } from './world.ts';

/** Points of a run that at-point.ts recognises from outside; no production code takes part. */
export const points = {
  /** The first schema is created, but not committed. */
  'during migration': { hits: 1 },
  /** Some rows of the list are in the open transaction; a statement inserts several. */
  'mid-ingest': { hits: 9 },
  /** Calls are leased, and one is about to be written to its socket. */
  'before send': { hits: 100 },
  /** Bytes of an answer have arrived, but are not read yet. */
  'after answer': { hits: 100 },
  /** Answers are in the open transaction. */
  'before commit': { hits: 20 },
  'after commit': { hits: 20 },
  /** A resumed run has recovered the leases of the dead process, in a transaction still open. */
  'mid-resume': { hits: 1 },
  'mid-export': { hits: 6 },
  /** A file is on the disk under its temporary name. */
  'after fsync': { hits: 6 },
  /** Some files of the export are in place, and others, at least the manifest, are not. */
  'before rename': { hits: 7 },
  /** All files are in place, but the ledger does not say so yet. */
  'before the end': { hits: 1 },
} as const satisfies Record<string, { hits: number }>;

export type Point = keyof typeof points;

const module = join(import.meta.dirname, 'at-point.ts');

/** What happens at a point: the process is killed or stopped, or its disk fails. */
export type Act = 'kill' | 'stop' | 'EIO' | 'ENOSPC';

/** Options that make a process act when it reaches a point for the n-th time. */
export function at(point: Point, hit: number, does: Act = 'kill'): StartOptions {
  return {
    nodeOptions: ['--import', module],
    env: { FAULT_POINT: point, FAULT_HIT: String(hit), FAULT_DOES: does },
  };
}
