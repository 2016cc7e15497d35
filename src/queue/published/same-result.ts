import type { Ledger } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';

/** The run that a folder shows, as its manifest names it. */
interface ShownRun {
  readonly id: string;
  readonly startedAt: string;
}

/** A result that a folder shows, and that a run comes to as well. */
interface SameResult {
  /** What an export has counted of it; undefined where none is kept. */
  readonly tally: unknown;
}

/**
 * The result that a folder shows, where a run comes to the same: it has the same rows in the same order, and
 * nothing has become different since.
 */
export function findSameResult(ledger: Ledger, run: Run, shown: ShownRun): SameResult | undefined {
  const earlier = ledger.runs.get(Number(shown.id.slice(1)));
  // Another ledger may have a run of this name.
  const isShown =
    earlier?.job === run.job &&
    runName(earlier) === shown.id &&
    new Date(earlier.startedAt).toISOString() === shown.startedAt;
  if (!isShown || !isSame(ledger, earlier, run)) return undefined;
  const stored = ledger.tallies.of(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  return { tally: tallied && isSame(ledger, tallied, run) ? stored.tally : undefined };
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
