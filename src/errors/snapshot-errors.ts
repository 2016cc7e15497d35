import type { ErrorFacts } from './error-facts.ts';

/** The ledger of a pod is in use elsewhere, or its snapshot cannot be used. */
export const snapshotErrors = {
  LEASE_HELD: {
    exitCode: 75,
    remedy:
      'Nothing was asked. Wait until it has ended, then run the same command again. `dossier ledger info <job>` shows who holds it; `dossier ledger release <job>` frees it where that process is gone.',
    onPage:
      'Nothing was asked. Wait until it has ended, then start it again. In a terminal `dossier ledger info <job>` shows who holds it; `dossier ledger release <job>` frees it where that process is gone.',
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
      'Nothing was asked. Put that object back if the bucket keeps versions; else copy the snapshot to the path of the ledger (`zstd -d`). Then run again.',
  },
  SNAPSHOT_UNSTORED: {
    exitCode: 74,
    remedy:
      'Keep this disk if you can: the next command on it stores the ledger. Else check the store with `dossier check <job>`.',
    onPage:
      'Keep this disk if you can: the next run on it stores the ledger. Else check that the store can be reached.',
  },
  SNAPSHOT_DIVERGED: {
    exitCode: 74,
    remedy:
      'Nothing that was paid for is lost. Merge it when the other process has ended; a second merge takes nothing twice.',
  },
  SNAPSHOT_DAMAGED: {
    exitCode: 74,
    remedy:
      'Nothing was asked, and the ledger of this machine is as it was. `dossier ledger info <job>` names the snapshot before it; copy that or a backup to the path of the ledger (`zstd -d`), name another place with ledger.snapshot, then run again.',
  },
  LEDGER_ELSEWHERE: {
    exitCode: 78,
    remedy:
      'Nothing was asked or changed. Give all jobs on one ledger the same ledger.snapshot, or each a ledger of its own with ledger.path.',
  },
  LEDGER_NOT_HERE: {
    exitCode: 74,
    remedy:
      '`dossier ledger sync <job>` brings it here, without a call; then the same command again.',
    onPage:
      '`dossier ledger sync <job>` in a terminal brings it here, without a call; then load the page again.',
  },
  SNAPSHOT_FOREIGN: {
    exitCode: 78,
    remedy: 'Upgrade Dossier, or name another place with ledger.snapshot; nothing was changed.',
  },
} as const satisfies Record<string, ErrorFacts>;
