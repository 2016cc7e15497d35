import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';

/** The run that a folder shows, as its manifest names it. */
interface ShownRun {
  readonly id: string;
  readonly startedAt: string;
}

/**
 * What an export has counted of the result that a folder shows, where a run comes to the same: it has the
 * same rows in the same order, and nothing has become different since.
 */
export function tallyOfSame(ledger: Ledger, run: Run, shown: ShownRun): unknown {
  const earlier = ledger.runs.get(Number(shown.id.slice(1)));
  // Another ledger may have a run of this name.
  const isShown =
    earlier?.job === run.job &&
    runName(earlier) === shown.id &&
    new Date(earlier.startedAt).toISOString() === shown.startedAt;
  if (!isShown || !isSame(ledger, earlier, run)) return undefined;
  const stored = ledger.tallies.of(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  return tallied && isSame(ledger, tallied, run) ? stored.tally : undefined;
}

function isSame(ledger: Ledger, earlier: Run, run: Run): boolean {
  const [first, last] = earlier.id < run.id ? [earlier, run] : [run, earlier];
  return (
    first.listId === last.listId &&
    JSON.stringify(first.columns) === JSON.stringify(last.columns) &&
    first.hasPeople === last.hasPeople &&
    !ledger.outcomes.hasAny(first.id, last.id, run.job)
  );
}
