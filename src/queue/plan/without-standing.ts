import type { Ledger } from '../../ledger/open-ledger.ts';
import type { Run } from '../../ledger/runs/runs.ts';
import { IdSet } from '../../runtime/id-set.ts';
import { requireFollowed } from '../kept/run-followed.ts';
import type { RunQueue } from '../run-queue.ts';

/**
 * The queue of a planned run that only mends rows: those that the last run had keep their outcomes, and are
 * left out of the plan.
 */
export function withoutStanding(
  queue: RunQueue,
  past: Pick<Ledger, 'runs' | 'lists' | 'rows'>,
  run: Run,
): RunQueue {
  const earlier = new IdSet();
  // The scratch ledger numbers its run from 1, and a run of the job would come after all others.
  const followed = requireFollowed(past, { ...run, id: Number.MAX_SAFE_INTEGER });
  for (const { rowIds } of past.lists.blocks(followed.listId))
    for (const id of rowIds) earlier.add(id);
  let asked = 0;
  return {
    ...queue,
    async add(rows) {
      const known = past.rows.find(run.job, rows);
      const others = rows.filter((_, index) => {
        const id = known[index];
        return id === undefined || !earlier.has(id);
      });
      // A list has no gaps in the numbers of its rows.
      return await queue.add(others.map((row) => ({ ...row, number: ++asked })));
    },
  };
}
