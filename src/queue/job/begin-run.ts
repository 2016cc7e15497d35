import type { Ledger } from '../../ledger/open-ledger.ts';
import type { NewRun, Run } from '../../ledger/runs/runs.ts';
import { requireOwned } from '../trouble/owned-run.ts';

/** What is known of a list that has been read to its end. */
export type CompleteList = Pick<Run, 'columns' | 'keyColumns'> & { readonly inputSha256: string };

/** Runs inside a transaction. */
export function startRun(ledger: Ledger, run: Omit<NewRun, 'listId'>): Run {
  return ledger.runs.start({ ...run, listId: ledger.lists.begin() });
}

/** Runs inside a transaction. */
export function completeList(ledger: Ledger, run: Run, list: CompleteList): Run {
  requireOwned(ledger, run);
  const listId = ledger.lists.complete(run.listId);
  ledger.runs.completeIngest(run, { ...list, listId });
  return { ...run, ...list, listId, state: 'open' };
}
