import { createHash } from 'node:crypto';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { type Run, runName } from '../ledger/runs/runs.ts';
import type { Manifest } from '../sinks/manifest.ts';
import type { RunTally } from '../sinks/tally/run-tally.ts';

/** How records are written, as a hash: files of the same records in the same form are the same. */
export function formOf({ output, reference }: ResolvedJob, version: string): string {
  const { path: _, ...form } = output;
  const text = JSON.stringify({ version, form, reference });
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The tally of the result that a folder holds, where a finished run comes to the same: it has the same
 * rows in the same order, and nothing has become different since.
 */
export function findSameResult(ledger: Ledger, run: Run, form: string, folder: Manifest) {
  if (!folder.complete || folder.form !== form || folder.job.name !== run.job) return undefined;
  const shown = ledger.runs.get(Number(folder.run.id.slice(1)));
  // Another ledger may have a run of this name.
  const isShown =
    shown?.job === run.job &&
    runName(shown) === folder.run.id &&
    new Date(shown.startedAt).toISOString() === folder.run.startedAt;
  if (!isShown || !isSame(ledger, shown, run)) return undefined;
  const stored = ledger.tallies.of(run.job);
  const tallied = stored && ledger.runs.get(stored.runId);
  if (!tallied || !isSame(ledger, tallied, run)) return undefined;
  return stored.tally as RunTally;
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
