import type { ResolvedJob } from '../../job/resolved-job.ts';
import { runName } from '../../ledger/runs/runs.ts';
import { chooseRuns, openToCompare } from '../../overview/changes/choose-runs.ts';
import { refusePrunedSince } from '../../queue/published/choose-run.ts';
import { compareRuns } from '../../records/compare-runs.ts';
import { gatherChanges } from '../../report/gather-changes.ts';
import { howToCompare } from '../../run/write-outputs.ts';
import { openChangeTally } from '../../sinks/tally/change-tally.ts';
import type { RunChanges } from '../api/history.ts';
import { letOthersWork } from '../http/let-others-work.ts';

/** What differs between two runs of a job. Other requests are answered in between. */
export async function changesBetween(
  job: ResolvedJob,
  wanted: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<RunChanges> {
  using ledger = openToCompare(job);
  const { base, run } = chooseRuns(ledger, job.name, { ...wanted, sinceMs: undefined }, Date.now());
  const tally = openChangeTally();
  if (base) {
    const changes = compareRuns(ledger, { base, run }, howToCompare(job));
    for await (const change of letOthersWork(changes, signal)) tally.add(change);
    refusePrunedSince(ledger, [base, run]);
  }
  const [from, to] = [runName({ id: wanted.from }), runName(run)];
  const file = `dossier changes --from ${from} --to ${to}`;
  return { from, to, changes: gatherChanges(tally.facts(), { since: from, file }) };
}
