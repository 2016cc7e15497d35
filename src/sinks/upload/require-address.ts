import { DossierError } from '../../errors.ts';
import { readObjectAddress } from '../../objects/object-address.ts';
import type { ObjectAddress } from '../../objects/object-store.ts';

export function requireAddress(path: string): ObjectAddress {
  const address = readObjectAddress(path);
  if (address) return address;
  throw new DossierError('JOB_INVALID', `${path} is no address of the form s3://bucket/prefix`);
}
