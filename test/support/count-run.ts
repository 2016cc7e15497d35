import { expect } from 'vitest';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import type { Counts } from '../../src/rules/outcomes.ts';

/** The counts of a run that has kept nothing of another, counted from the tables and not as it noted them. */
export function countRun(ledger: Ledger, runId: number): Counts {
  const run = ledger.runs.get(runId);
  if (!run) throw new Error(`run ${runId} is not in the ledger`);
  let stale = 0;
  const rows = { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 };
  for (const { status, isStale } of ledger.records.of(run, () => expect.unreachable()).rows()) {
    rows[status] += 1;
    if (isStale) stale += 1;
  }
  const { open, leased, called, reused, joined, failed } = ledger.calls.counts(runId);
  const searches = ledger.searches.counts(runId);
  return {
    rows,
    calls: { open: open + leased, called, reused, joined, failed, shared: expect.any(Number) },
    stale,
    people: searches.people,
    failedSearches: searches.failed,
    incompleteSearches: searches.incomplete,
  };
}
