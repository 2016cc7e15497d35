import type { Run } from '../engine/ledger/runs/runs.ts';
import type { RunQueue } from '../engine/queue/run-queue.ts';
import type { JobRuns } from '../engine/runs/job-runs.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { estimateRun, spentInPeriods } from './estimate-run.ts';
import type { RunParts } from './run-parts.ts';

/** What the open calls of a run may cost, with what its budgets have left. */
export async function priceRun(
  runs: JobRuns,
  job: ResolvedJob,
  run: Run,
  queue: RunQueue,
  { accounts, clock }: Pick<RunParts, 'accounts' | 'clock'>,
) {
  const ahead = await runs.callsAhead(run, queue);
  const spent = accounts && spentInPeriods(runs.ledger, job, accounts, clock.wallMs());
  return estimateRun(job, ahead, spent);
}
