import type { Holder, StoredSnapshot } from './control.ts';

/** Hears what becomes of the lease and the snapshots of a ledger, for the log and for people. */
export interface SnapshotListener {
  /** A lease is there and is watched, for so long at most. */
  onWatch?(holder: Holder, atMostMs: number): void;
  onTaken?(lengthMs: number): void;
  onRestored?(
    snapshot: StoredSnapshot,
    facts: { readonly bytes: number; readonly ms: number },
  ): void;
  onStored?(snapshot: StoredSnapshot, facts: { readonly bytes: number; readonly ms: number }): void;
  /** Answers that are not in the snapshot that counts were put here, and can be merged. */
  onAside?(address: string): void;
  /** A renewal or a snapshot failed, and is tried again. */
  onTrouble?(what: 'lease' | 'snapshot', error: unknown): void;
  onLost?(error: Error): void;
}
