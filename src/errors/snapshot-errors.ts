import type { ErrorFacts } from './error-facts.ts';

/** The ledger of a pod is in use elsewhere, or its snapshot cannot be used. */
export const snapshotErrors = {
  LEASE_HELD: {
    exitCode: 75,
    remedy:
      'Nothing was asked. Wait until it has ended, then run the same command again. `dossier ledger info <job>` shows who holds it.',
    onPage:
      'Nothing was asked. Wait until it has ended, then start it again. In a terminal `dossier ledger info <job>` shows who holds it.',
  },
  LEASE_LOST: {
    exitCode: 75,
    remedy:
      'What was answered is on this disk, and in the store unless it is said otherwise. Check that no other process runs this job and that the store can be reached, then run the same command again to go on.',
    onPage:
      'What was answered is on this disk, and in the store unless it is said otherwise. Check that no other process runs this job and that the store can be reached, then press “Go on”.',
  },
  LEASE_MISSING: {
    exitCode: 74,
    remedy:
      'Nothing was asked. Put the lease object back if the bucket keeps versions. Else name another place with ledger.snapshot, take in the copy with `dossier ledger merge <copy> <job>`, and run again.',
  },
  SNAPSHOT_UNSTORED: {
    exitCode: 74,
    remedy:
      'Keep this disk: the next run on it stores the ledger, or renames it where another process has stored one since. Then `dossier ledger merge` takes in its answers.',
  },
  SNAPSHOT_DIVERGED: {
    exitCode: 74,
    remedy:
      'Check what has changed the bucket. The next run renames the ledger of this machine and restores the stored copy; `dossier ledger merge` takes in its answers.',
  },
  SNAPSHOT_DAMAGED: {
    exitCode: 74,
    remedy:
      'Nothing was asked, and the ledger of this machine is as it was. Name another place with ledger.snapshot, take in the copy before it (`.copy-…` in the bucket) or a backup with `dossier ledger merge <copy> <job>`, then run again.',
  },
  LEDGER_ELSEWHERE: {
    exitCode: 78,
    remedy:
      'Nothing was asked or changed. Give all jobs on one ledger the same ledger.snapshot, or each a ledger of its own with ledger.path.',
  },
  SNAPSHOT_FOREIGN: {
    exitCode: 78,
    remedy: 'Upgrade Dossier, or name another place with ledger.snapshot; nothing was changed.',
  },
} as const satisfies Record<string, ErrorFacts>;
