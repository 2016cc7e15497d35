import { DossierError } from '../../errors.ts';
import { isObject, type ListAddress } from '../../runtime/files/list-address.ts';
import { PassingTrouble } from './delivery.ts';

/** `pipe` where only reading can tell, `gone` where the list cannot be had just now. */
export type AddressStamp =
  | { readonly kind: 'file'; readonly stamp: string }
  | { readonly kind: 'pipe' }
  | { readonly kind: 'gone' };

/** Asks which version of a list lies at its address, without reading it. `known` is the stamp of an earlier one. */
export async function stampAddress(
  address: ListAddress,
  known: string,
  signal?: AbortSignal,
): Promise<AddressStamp> {
  try {
    const stamp = await stampNow(address, known, signal);
    return stamp === undefined ? { kind: 'pipe' } : { kind: 'file', stamp };
  } catch (error) {
    // As with a file that cannot be reached, an unfinished run needs it no more.
    if (error instanceof DossierError || error instanceof PassingTrouble) return { kind: 'gone' };
    throw error;
  }
}

async function stampNow(
  address: ListAddress,
  known: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (isObject(address)) {
    const { storeStampNow } = await import('./from-store.ts');
    return await storeStampNow(address, signal);
  }
  const { webStampNow } = await import('./from-web.ts');
  return await webStampNow(address, known, signal);
}
