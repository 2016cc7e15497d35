import type { Run } from '../ledger/runs/runs.ts';

/** How people and paths call a run: `r7`. */
export function runName(run: Pick<Run, 'id'>): string {
  return `r${run.id}`;
}
