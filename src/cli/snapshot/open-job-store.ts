import { DossierError } from '../../errors.ts';
import type { ObjectAddress } from '../../objects/object-address.ts';
import { readObjectAddress } from '../../objects/object-address.ts';
import type { ObjectStore } from '../../objects/open-object-store.ts';
import { openObjectStore } from '../../objects/open-object-store.ts';

/** Opens the store of an address that a job or a command line names. */
export async function openJobStore(
  address: string,
): Promise<{ readonly store: ObjectStore; readonly at: ObjectAddress }> {
  const at = readObjectAddress(address);
  if (!at || at.key === '') {
    const message = `${address} is no address of an object, such as s3://bucket/leads/ledger.db.zst`;
    throw new DossierError('JOB_INVALID', message);
  }
  return { store: await openObjectStore(), at };
}
