import { lookAtTokens } from '../ledger/care/snapshot.ts';
import type { ObjectAddress } from '../objects/object-address.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/open-object-store.ts';
import { readControl, refuseForgotten } from './control.ts';

/** Reads which copy counts, who holds the lease, and how the ledger of this machine relates to the copy. */
export async function readSnapshot(store: ObjectStore, at: ObjectAddress, ledger: string) {
  const { control, etag } = await readControl(store, at);
  const { snapshot, holder } = control;
  const local = lookAtTokens(ledger, snapshot?.lastAnswerId ?? 0);
  if (etag === undefined) await refuseForgotten(store, at, [local?.token, local?.pending]);
  const address = snapshot && showObjectAddress({ ...at, key: snapshot.key });
  const isCurrent = address === null || [local?.token, local?.pending].includes(address);
  return {
    stored: snapshot && address !== null ? { ...snapshot, address } : null,
    holder,
    here: local ? (isCurrent ? ('current' as const) : ('other' as const)) : ('missing' as const),
    /** Answers that a lost disk would cost. */
    callsAtRisk: local && isCurrent ? local.answersSince : 0,
  };
}
