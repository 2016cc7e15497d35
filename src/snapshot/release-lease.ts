import { DossierError } from '../errors.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type Holder, readControl } from './control.ts';
import { type LeaseRequest, swap, takeLease } from './take-lease.ts';

/**
 * Frees the lease of a process that is gone; gives whose it was. One that is alive throws LEASE_HELD, unless it is
 * taken from it by force: then that process stops at its next renewal, and stores what it has aside.
 */
export async function releaseLease(
  store: ObjectStore,
  request: LeaseRequest,
  isForced: boolean,
): Promise<Holder | undefined> {
  const { at, signal } = request;
  const { control, etag } = await readControl(store, at, signal);
  const { holder } = control;
  if (!holder) return undefined;
  const before = isForced ? { control, etag } : (await takeLease(store, request)).read;
  const freed = { ...before.control, holder: null };
  if (await swap(store, at, freed, { etag: before.etag, signal })) return holder;
  throw new DossierError(
    'LEASE_HELD',
    `the lease of ${showObjectAddress(at)} was renewed or taken at this very moment`,
  );
}
