import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { ResolvedJob } from '../job/resolve-job.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { RowCounts } from '../ledger/rows.ts';
import type { Run } from '../ledger/runs.ts';
import type { Clock } from '../runtime/clock.ts';

/** What every step of a run works with. */
export interface RunContext {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly job: ResolvedJob;
  readonly clock: Clock;
  readonly counts: RunCounts;
  /** By what the calls of the run ask: an answer under another kind of name serves none of them. */
  readonly askedKinds: Set<IdentifierKind>;
}

/** Where the run stands, kept in memory so that showing it costs no query. */
export interface RunCounts {
  readonly rows: RowCounts;
  /** Calls by how their answer came to the run. */
  readonly calls: { open: number; called: number; reused: number; joined: number; failed: number };
  people: number;
  failedSearches: number;
}

export function readCounts(ledger: Ledger, run: Run): RunCounts {
  const { open, sent, called, reused, joined, failed } = ledger.calls.counts(run.id);
  const searches = ledger.searches.counts(run.id);
  return {
    rows: ledger.rows.counts(run.id),
    calls: { open: open + sent, called, reused, joined, failed },
    people: searches.people,
    failedSearches: searches.failed,
  };
}
