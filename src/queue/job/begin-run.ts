import type { Ledger } from '../../ledger/open-ledger.ts';
import type { NewRun, ReadList, Run } from '../../ledger/runs/runs.ts';
import { requireOwned } from '../trouble/owned-run.ts';

/** Runs inside a transaction. */
export function startRun(ledger: Ledger, run: Omit<NewRun, 'listId'>): Run {
  return ledger.runs.start({ ...run, listId: ledger.lists.begin() });
}

/** Runs inside a transaction. */
export function completeList(ledger: Ledger, run: Run, list: ReadList): Run {
  requireOwned(ledger, run);
  const listId = ledger.lists.complete(run.listId);
  ledger.runs.completeIngest(run, { ...list, listId });
  return { ...run, corrections: null, ...list, listId, state: 'open' };
}
