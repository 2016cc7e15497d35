/** Runs that stay in the ledger for a job that does not say how many. */
export const defaultKeepRuns = 30;

/** How old an answer may be that a row keeps as stale: by default, the longest that a job uses one. */
export const defaultStaleOnFailure = '180d';
