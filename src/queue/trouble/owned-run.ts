import { DossierError } from '../../errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { runName } from '../../ledger/runs/runs.ts';
import type { QueuedRun } from '../queue-state.ts';

/**
 * Refuses to write for a run that another process has taken: its lock was lost, and both would pay for
 * the same calls. Runs inside a transaction.
 */
export function requireOwned(
  { runs }: Pick<Ledger, 'runs'>,
  run: Pick<QueuedRun, 'id' | 'owner'>,
): void {
  if (runs.ownerOf(run.id) === run.owner) return;
  const message = `another process has taken over ${runName(run)}, since its lock was removed`;
  throw new DossierError('RUN_TAKEN', message);
}
