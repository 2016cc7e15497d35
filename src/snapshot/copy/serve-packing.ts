import { type PackedLedger, type PackRequest, packLedger } from './pack-ledger.ts';

export interface PackingVerbs {
  pack(request: PackRequest): Promise<PackedLedger>;
}

/** Packs a ledger in a thread of its own, so that the run next to it neither waits nor stutters. */
export function serve(): PackingVerbs {
  return { pack: packLedger };
}
