import type { SnapshotNote } from '../ledger/care/snapshot/snapshot-note.ts';
import type { StoredSnapshot } from './control.ts';

/** What to do with the ledger of this machine and the snapshot of the store when a command starts. */
export type Comparison =
  /** Neither is there. */
  | 'begin'
  /** The ledger of this machine has all that the snapshot has, and perhaps more. */
  | 'go-on'
  /** The store took the last snapshot, and the process died before it knew. */
  | 'settle'
  /** The snapshot has all that the ledger of this machine has. */
  | 'restore'
  /** Both have answers that the other does not: the snapshot counts, the other is stored aside. */
  | 'put-aside';

export function compareLedgers(
  local: SnapshotNote | undefined,
  stored: Pick<StoredSnapshot, 'lineage' | 'generation' | 'token'> | null,
): Comparison {
  if (!stored) return local ? 'go-on' : 'begin';
  if (!local) return 'restore';
  const isEmpty = local.generation === 0 && local.answersSince === 0;
  if (stored.lineage !== local.lineage) return isEmpty ? 'restore' : 'put-aside';
  if (stored.token === local.token) return 'go-on';
  if (stored.token === local.pendingToken) return 'settle';
  // A store that was put back to an older state.
  if (stored.generation < local.generation) return 'go-on';
  if (stored.generation === local.generation) return 'put-aside';
  return local.answersSince > 0 ? 'put-aside' : 'restore';
}
