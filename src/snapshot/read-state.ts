import { existsSync } from 'node:fs';
import { DossierError } from '../errors.ts';
import { lookAtNote } from '../ledger/care/snapshot/note-file.ts';
import type { SnapshotNote } from '../ledger/care/snapshot/snapshot-note.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { type Holder, readControl, type StoredSnapshot } from './control.ts';
import { listCopies } from './copy/list-copies.ts';
import { refuseForgotten } from './refuse-forgotten.ts';

/** Where the snapshots of a ledger stand, for people; nothing is changed. */
export interface SnapshotState {
  /** The newest one; undefined before the first. */
  readonly stored: (StoredSnapshot & { readonly address: string }) | undefined;
  /** Address of the one before. */
  readonly previous: string | undefined;
  readonly holder: Holder | undefined;
  /** Copies with answers that may be in no snapshot that counts: `dossier ledger merge` takes them over. */
  readonly asides: readonly string[];
}

export async function readSnapshots(
  store: ObjectStore,
  at: ObjectAddress,
  local: SnapshotNote | undefined,
): Promise<SnapshotState> {
  const { control, etag } = await readControl(store, at);
  if (etag === undefined) await refuseForgotten(store, at, local);
  const { snapshot, holder, older } = control;
  const addressOf = (key: string) => showObjectAddress({ bucket: at.bucket, key });
  const known = new Set([...(snapshot ? [snapshot.key] : []), ...older]);
  const asides: string[] = [];
  for await (const { key, generation } of listCopies(store, at)) {
    // While a lease is held, one that is not known yet may be about to count.
    const isPerhapsNext = holder !== null && generation !== undefined;
    if (!known.has(key) && !isPerhapsNext) asides.push(addressOf(key));
  }
  const [before] = older;
  return {
    stored: snapshot ? { ...snapshot, address: addressOf(snapshot.key) } : undefined,
    previous: before === undefined ? undefined : addressOf(before),
    holder: holder ?? undefined,
    asides,
  };
}

/** What the ledger of this machine knows of its snapshots; undefined where there is no ledger, or no snapshot. */
export function readLocalNote(ledger: string): SnapshotNote | undefined {
  if (!existsSync(ledger)) return undefined;
  try {
    return lookAtNote(ledger);
  } catch (error) {
    // An older or empty ledger, of which the next run makes one with snapshots.
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}
