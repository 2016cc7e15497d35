import type { Counts } from '../../rules/outcomes.ts';
import type { Ledger } from '../open-ledger.ts';

type CountedTables = Pick<Ledger, 'rows' | 'calls' | 'searches' | 'progress'>;

/** The counts that the run has noted itself, or, where it has none, counted from its tables. */
export function countsOf(ledger: CountedTables, runId: number): Counts {
  return ledger.progress.of(runId) ?? countRun(ledger, runId);
}

/** Reads every row and call of the run, which takes seconds for a million of them. */
export function countRun(ledger: CountedTables, runId: number): Counts {
  const { open, leased, called, reused, joined, failed } = ledger.calls.counts(runId);
  const searches = ledger.searches.counts(runId);
  const shared = ledger.rows.asked(runId) - ledger.calls.lookups(runId);
  return {
    rows: ledger.rows.counts(runId),
    calls: { open: open + leased, called, reused, joined, failed, shared },
    people: searches.people,
    failedSearches: searches.failed,
    incompleteSearches: searches.incomplete,
  };
}
