import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  putAsideNote,
  putPending,
  putSettled,
  takeNote,
} from '../ledger/care/snapshot/note-file.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StoredSnapshot } from './control.ts';
import type { HeldLease } from './hold-lease.ts';
import type { SnapshotListener } from './snapshot-listener.ts';
import { storeCopy } from './store-ledger.ts';

export interface PublishParts {
  readonly store: ObjectStore;
  readonly at: ObjectAddress;
  readonly ledger: string;
  readonly clock: Clock;
  readonly listener: SnapshotListener;
}

/** A name that no other snapshot has. */
function newToken(): string {
  return randomBytes(6).toString('hex');
}

/**
 * Stores the ledger under a name of its own, then makes it the snapshot that counts, in one write that
 * holds only while the lease does. False where the lease is another's: then it is not the one that counts.
 */
export async function publishSnapshot(
  lease: HeldLease,
  parts: PublishParts,
  signal?: AbortSignal,
): Promise<boolean> {
  const { store, at, ledger, clock, listener } = parts;
  const startedAt = clock.monotonicMs();
  // The store may have taken a snapshot of this process and its reply was lost.
  if (!(await lease.change((control) => control))) return false;
  const base = lease.control().snapshot;
  const place = showObjectAddress(at);
  const note = settledNote(ledger, place, base);
  if (!note) return true;
  const token = newToken();
  const storedAt = clock.wallMs();
  const generation = Math.max(note.generation, base?.generation ?? 0) + 1;
  const to = { bucket: at.bucket, key: `${at.key}.g${generation}-${token}` };
  const { lineage } = note;
  const copy = storeCopy(store, {
    ...{ ledger, to, place, generation, token, lineage, storedAt, signal },
    // Before the store has it: should this process die, the next knows the snapshot for its own.
    onCopied: ({ lastAnswerId }) => putPending(ledger, { token, lastAnswerId, storedAt }),
  });
  const { size, sha256, answers, bytes } = await copy.catch(async (error: unknown) => {
    // One that was given up may be there all the same, and would be taken for one that nobody else has.
    if (signal?.aborted) await store.remove(to).catch(() => {});
    throw error;
  });
  const snapshot: StoredSnapshot = {
    ...{ key: to.key, lineage, generation, token, size, sha256, answers, storedAt },
    host: hostname(),
  };
  // Only what this ledger goes back to may be removed later: another may hold what nobody else has.
  const replaced = base && base.token === note.token ? [base.key] : [];
  const isOurs = await lease.change((control) => ({
    ...control,
    snapshot,
    older: [...replaced, ...control.older],
  }));
  if (!isOurs) {
    await store.remove(to).catch(() => {});
    return false;
  }
  try {
    putSettled(ledger, { generation, token, place });
  } catch {
    // The ledger is held by another program: the next snapshot or start knows this one by its token.
  }
  listener.onStored?.(snapshot, { bytes, ms: clock.monotonicMs() - startedAt });
  if (base && replaced.length === 0) listener.onAside?.(addressOf(at, base.key));
  await removeOlder(lease, parts);
  return true;
}

/** The note of the ledger; a snapshot that the store took unnoticed is noted first. */
function settledNote(ledger: string, place: string, current: StoredSnapshot | null) {
  const note = takeNote(ledger);
  if (!note || !current || note.pendingToken !== current.token) return note;
  putSettled(ledger, { generation: current.generation, token: current.token, place });
  return takeNote(ledger);
}

/** Keeps the snapshot before the one that counts. Where removing fails, the next one does it. */
async function removeOlder(lease: HeldLease, { store, at, listener }: PublishParts): Promise<void> {
  const [kept, ...gone] = lease.control().older;
  if (gone.length === 0) return;
  try {
    for (const key of gone) await store.remove({ bucket: at.bucket, key });
    await lease.change((control) => ({ ...control, older: kept === undefined ? [] : [kept] }));
  } catch (error) {
    listener.onTrouble?.('snapshot', error);
  }
}

/**
 * Stores a ledger aside that is not the one that counts. Gives the address; undefined where it was stored so before.
 */
export async function storeAside({
  store,
  at,
  ledger,
  clock,
  listener,
}: PublishParts): Promise<string | undefined> {
  const note = takeNote(ledger);
  if (!note || note.isAside) return undefined;
  const token = newToken();
  const to = { bucket: at.bucket, key: `${at.key}.diverged-${token}` };
  const { generation, lineage } = note;
  const storedAt = clock.wallMs();
  const place = showObjectAddress(at);
  const copy = { ledger, to, place, generation, token, lineage, storedAt };
  const { lastAnswerId } = await storeCopy(store, copy);
  putAsideNote(ledger, lastAnswerId);
  const address = showObjectAddress(to);
  listener.onAside?.(address);
  return address;
}

function addressOf({ bucket }: ObjectAddress, key: string): string {
  return showObjectAddress({ bucket, key });
}
