import type { Source } from '../calls/run-calls.ts';
import type { Ledger } from '../open-ledger.ts';
import type { RowStatus } from '../run-records.ts';

/** Where a run stands. Terminal, JSON, report and metrics are all shown from this. */
export interface Counts {
  readonly rows: Readonly<Record<RowStatus | 'open', number>>;
  /** Calls by how their answer came to the run. A failed call is counted under its source, too. */
  readonly calls: Readonly<Record<Source | 'open' | 'failed', number>>;
  /** People received, each as often as it came. */
  readonly people: number;
  readonly failedSearches: number;
}

/** The counts that the run has noted itself, or, where it has none, counted from its tables. */
export function countsOf(ledger: Ledger, runId: number): Counts {
  return ledger.progress.of(runId) ?? countRun(ledger, runId);
}

/** Reads every row and call of the run, which takes seconds for a million of them. */
export function countRun(ledger: Ledger, runId: number): Counts {
  const { open, leased, called, reused, joined, failed } = ledger.calls.counts(runId);
  const searches = ledger.searches.counts(runId);
  return {
    rows: ledger.rows.counts(runId),
    calls: { open: open + leased, called, reused, joined, failed },
    people: searches.people,
    failedSearches: searches.failed,
  };
}
