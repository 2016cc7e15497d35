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
  /** The ledger of this machine is kept at another place, and what counts here is not a copy of it. */
  | 'elsewhere'
  /** Both have answers that the other does not: the snapshot counts, the other is stored aside. */
  | 'put-aside';

export function compareLedgers(
  local: SnapshotNote | undefined,
  stored: Pick<StoredSnapshot, 'lineage' | 'generation' | 'token'> | null,
  place: string,
): Comparison {
  if (!stored) return local ? 'go-on' : 'begin';
  if (!local) return 'restore';
  const isRelated = stored.lineage === local.lineage;
  if (isRelated && stored.token === local.token) return 'go-on';
  if (isRelated && stored.token === local.pendingToken) return 'settle';
  // Each place counts by itself, so neither could tell which is newer.
  if (local.place !== undefined && local.place !== place) return 'elsewhere';
  const isEmpty = local.generation === 0 && local.answersSince === 0;
  if (!isRelated) return isEmpty ? 'restore' : 'put-aside';
  // A store that was put back to an older state.
  if (stored.generation < local.generation) return 'go-on';
  if (stored.generation === local.generation) return 'put-aside';
  return local.answersSince > 0 ? 'put-aside' : 'restore';
}
