import { DossierError } from '../errors.ts';
import type { SnapshotNote } from '../ledger/care/snapshot/snapshot-note.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { listCopies, type StoredCopy } from './copy/list-copies.ts';

/**
 * Refuses a place that has snapshots and no lease object, which says what snapshot counts: a new one would
 * begin without them, and pay for all of it again.
 */
export async function refuseForgotten(
  store: ObjectStore,
  at: ObjectAddress,
  local: SnapshotNote | undefined,
): Promise<void> {
  let newest: StoredCopy | undefined;
  for await (const copy of listCopies(store, at)) {
    if ((copy.generation ?? 0) > (newest?.generation ?? 0)) newest = copy;
  }
  if (!newest || newest.token === local?.pendingToken) return;
  if ((newest.generation ?? 0) <= (local?.generation ?? 0)) return;
  const [place, copy] = [at, { bucket: at.bucket, key: newest.key }].map(showObjectAddress);
  throw new DossierError(
    'LEASE_MISSING',
    `${place}.lease is gone, which says what snapshot counts; the newest is ${copy}`,
  );
}
