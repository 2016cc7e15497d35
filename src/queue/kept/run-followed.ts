import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';

/**
 * The run that this one is compared with, where this one would come to the same records by the same answers. Cells
 * under another header make other records. Of JSON lines not every column may be known yet.
 */
export function runFollowed({ runs }: Ledger, run: Run): Run | undefined {
  const [last] = runs.comparable(run);
  const isSame = last?.prunedAt === null && last.verdictTerms === run.verdictTerms;
  return isSame && run.columns.every((name, at) => name === last.columns[at]) ? last : undefined;
}
