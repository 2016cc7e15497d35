import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';

/** The newest run, except one that died while it read its list: it has nothing to show. */
export function newestRun(
  { runs }: Pick<Ledger, 'runs'>,
  job: string,
  isRunning: boolean,
): Run | undefined {
  return runs.list(job).find(({ state }) => state !== 'ingesting' || isRunning);
}
