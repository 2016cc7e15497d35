import { DossierError } from '../../errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';

/** Refuses a run whose rows are no longer in the ledger. */
export function refusePruned(run: Run): void {
  if (run.prunedAt === null) return;
  const day = new Date(run.prunedAt).toISOString().slice(0, 10);
  throw new DossierError('RUN_PRUNED', `${runName(run)} of ${run.job} was pruned on ${day}`);
}

/**
 * Refuses runs that were pruned while they were read: what was read of them is not all. A reader holds no
 * lock, so a run of the job that ends meanwhile may prune them.
 */
export function refusePrunedSince({ runs }: Pick<Ledger, 'runs'>, read: readonly Run[]): void {
  for (const { id } of read) {
    const run = runs.get(id);
    if (run) refusePruned(run);
  }
}

/** Reads runs. What is missing of them because they were pruned meanwhile is not told as damage. */
export async function readUnlessPruned<Result>(
  ledger: Pick<Ledger, 'runs'>,
  runs: readonly Run[],
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    refusePrunedSince(ledger, runs);
    throw error;
  }
}
