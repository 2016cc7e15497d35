import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';

/**
 * The last finished run of the job, where this one would come to the same records by the same answers. Cells
 * under another header make other records. Of JSON lines not every column may be known yet.
 */
export function runFollowed({ runs }: Ledger, run: Run): Run | undefined {
  const last = runs.lastFinished(run.job);
  const isSame = last?.verdictTerms === run.verdictTerms;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : undefined;
}
