import { DossierError, withSentence } from '../errors.ts';
import { putSettled, takeNote } from '../ledger/care/snapshot/note-file.ts';
import { watchChanges } from '../ledger/care/snapshot/watch-changes.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';
import { assertNever } from '../runtime/assert-never.ts';
import type { Clock } from '../runtime/clock.ts';
import { compareLedgers } from './compare-ledgers.ts';
import type { StoredSnapshot } from './control.ts';
import { endKeeping } from './end-keeping.ts';
import { type HeldLease, holdLease } from './hold-lease.ts';
import { keepStoring } from './keep-storing.ts';
import { type PublishParts, storeAside } from './publish.ts';
import { refuseForgotten } from './refuse-forgotten.ts';
import { restoreLedger } from './restore-ledger.ts';
import type { SnapshotListener } from './snapshot-listener.ts';
import { takeLease } from './take-lease.ts';

export interface KeeperOptions {
  readonly store: ObjectStore;
  readonly at: ObjectAddress;
  readonly ledger: string;
  readonly everyMs: number;
  /** Neither a ledger nor a snapshot is an error. */
  readonly mustExist: boolean;
  /** What the ledger is used for: a job, or a command. */
  readonly job: string;
  readonly leaseMs: number;
  readonly clock: Clock;
  /** Ends waiting and restoring. */
  readonly signal: AbortSignal;
  readonly listener: SnapshotListener;
}

/** Keeps the ledger of a command in the store while the command uses it. */
export interface LedgerKeeper {
  /** Aborts with LEASE_LOST when another process may use the ledger. */
  readonly lost: AbortSignal;
  /** Looks at once whether the lease still holds. */
  check(): void;
  /** When the newest snapshot was stored, by the wall clock; undefined before the first. */
  storedAt(): number | undefined;
  /**
   * Stores what is in no snapshot and gives the lease back. Gives what went wrong: then all that is at
   * risk is said, and nothing is thrown.
   */
  end(): Promise<DossierError | undefined>;
}

/** Takes the lease of a ledger, brings the ledger to its newest state, and stores it from then on. */
export async function openKeeper(options: KeeperOptions): Promise<LedgerKeeper> {
  const { store, at, ledger, clock, listener, leaseMs: lengthMs, job, signal } = options;
  const taken = await takeLease(store, {
    ...{ at, job, lengthMs, clock, signal },
    onWatch: (...facts) => listener.onWatch?.(...facts),
    onFirst: () => refuseForgotten(store, at, takeNote(ledger)),
  });
  const onTrouble = (error: unknown) => listener.onTrouble?.('lease', error);
  const lease = holdLease(taken, { store, at, clock, onTrouble });
  lease.lost.addEventListener('abort', () => listener.onLost?.(lease.lost.reason as Error), {
    once: true,
  });
  listener.onTaken?.(lengthMs);
  const parts: PublishParts = { store, at, ledger, clock, listener };
  try {
    await bringToNewest(lease, parts, {
      ...options,
      signal: AbortSignal.any([signal, lease.lost]),
    });
  } catch (error) {
    await lease.release().catch(() => {});
    throw error;
  }
  const changes = watchChanges(ledger);
  const storing = keepStoring(lease, parts, options.everyMs);
  return {
    lost: lease.lost,
    check: lease.check,
    storedAt: () => lease.control().snapshot?.storedAt,
    async end() {
      await storing.stop();
      const hasChanged = changes.hasChanged();
      changes[Symbol.dispose]();
      return await endKeeping(lease, parts, hasChanged);
    },
  };
}

async function bringToNewest(
  lease: HeldLease,
  parts: PublishParts,
  { mustExist, signal }: Pick<KeeperOptions, 'mustExist' | 'signal'>,
): Promise<void> {
  const { at, ledger } = parts;
  const { snapshot } = lease.control();
  const place = showObjectAddress(at);
  const local = localNote(ledger, snapshot);
  const comparison = compareLedgers(local, snapshot, place);
  switch (comparison) {
    case 'begin':
      if (!mustExist) return;
      throw new DossierError(
        'LEDGER_MISSING',
        `there is no ledger at ${ledger}, and no snapshot of it at ${place}`,
      );
    case 'go-on':
      return;
    case 'settle':
      if (snapshot) {
        const { generation, token } = snapshot;
        putSettled(ledger, { generation, token, place });
      }
      return;
    case 'elsewhere':
      throw new DossierError(
        'LEDGER_ELSEWHERE',
        `${ledger} is kept at ${local?.place}, and not at ${place}, where another ledger is`,
      );
    case 'put-aside':
      await storeAside(parts);
      return await restore(parts, snapshot, signal);
    case 'restore':
      return await restore(parts, snapshot, signal);
    default:
      assertNever(comparison);
  }
}

function localNote(ledger: string, snapshot: StoredSnapshot | null) {
  try {
    return takeNote(ledger);
  } catch (error) {
    if (!snapshot || !(error instanceof DossierError) || error.code !== 'LEDGER_DAMAGED')
      throw error;
    const sentence = `Or move it away: the next run restores snapshot ${snapshot.generation}, and pays for what came after it`;
    throw withSentence(error, sentence);
  }
}

async function restore(
  { store, at, ledger, clock, listener }: PublishParts,
  snapshot: StoredSnapshot | null,
  signal: AbortSignal,
): Promise<void> {
  if (!snapshot) return;
  const startedAt = clock.monotonicMs();
  const { bytes } = await restoreLedger(store, at, snapshot, ledger, signal);
  listener.onRestored?.(snapshot, { bytes, ms: clock.monotonicMs() - startedAt });
}
