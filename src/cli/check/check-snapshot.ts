import type { ResolvedJob } from '../../job/resolved-job.ts';
import { tryConditions } from '../../objects/open-object-store.ts';
import { readSnapshot } from '../../snapshot/open-keeper.ts';
import { describeSnapshots, openJobStore, snapshotLines } from '../snapshot.ts';
import { nameJob } from '../terminal/text.ts';

/** Looks whether a run could take the lease of its ledger, and tells where the snapshots stand. */
export async function describeSnapshot(job: ResolvedJob): Promise<string> {
  const { store, at } = await openJobStore(job.ledgerCare.snapshot?.address ?? '');
  await using _store = store;
  // What a run does first: it reads, and writes on conditions.
  await readSnapshot(store, at, job.ledger);
  await tryConditions(store, at);
  return snapshotLines(await describeSnapshots(job))
    .map(nameJob)
    .join('\n');
}
