import type { Counts } from '../../rules/outcomes.ts';

/** The counts of a run that has read nothing yet. */
export const noCounts: Counts = {
  rows: { open: 0, matched: 0, not_found: 0, invalid: 0, failed: 0 },
  calls: { open: 0, called: 0, reused: 0, joined: 0, failed: 0, shared: 0 },
  stale: 0,
  people: 0,
  failedSearches: 0,
  incompleteSearches: 0,
};
