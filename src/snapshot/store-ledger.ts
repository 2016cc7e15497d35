import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { DossierError } from '../errors.ts';
import { realLedgerPath } from '../ledger/file/real-path.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { claimTemporary, removeLeftovers } from '../runtime/files/atomic-file.ts';
import { packBeside } from './copy/pack-beside.ts';
import type { PackedLedger } from './copy/pack-ledger.ts';

export interface CopyToStore {
  readonly ledger: string;
  readonly to: ObjectAddress;
  /** The address that the job names. */
  readonly place: string;
  readonly generation: number;
  readonly token: string;
  readonly lineage: string;
  readonly storedAt: number;
  readonly signal?: AbortSignal | undefined;
  /** Called when the copy is made, before anything of it leaves. */
  onCopied?(packed: PackedLedger): void;
}

/** Copies a ledger as it is at this moment to an object of its own, and looks whether it is there as it should be. */
export async function storeCopy(store: ObjectStore, request: CopyToStore): Promise<PackedLedger> {
  const { to, place, generation, token, lineage, storedAt, signal } = request;
  const ledger = realLedgerPath(request.ledger);
  await removeLeftovers(dirname(ledger));
  await using copy = claimTemporary(ledger);
  await using file = claimTemporary(`${ledger}.zst`);
  const mark = { generation, token, storedAt, place };
  const packed = await packBeside({ ledger, mark, copy: copy.path, packed: file.path });
  signal?.throwIfAborted();
  request.onCopied?.(packed);
  const { size, sha256 } = packed;
  const source = { size, open: () => createReadStream(file.path) as AsyncIterable<Buffer> };
  const metadata = { generation: String(generation), token, lineage, sha256 };
  await store.upload(to, source, { type: 'application/zstd', metadata, signal });
  const facts = await store.head(to, signal && { signal });
  if (facts?.size === size && facts.metadata.sha256 === sha256) return packed;
  throw new DossierError(
    'STORE_DOWN',
    `${showObjectAddress(to)} is not there as it was sent: ${facts ? `${facts.size} of ${size} bytes` : 'nothing'}`,
  );
}
