/** Runs that stay in the ledger for a job that does not say how many. */
export const defaultKeepRuns = 30;

/** How old an answer may be that a row keeps as stale: by default, the longest that a job uses one. */
export const defaultStaleOnFailure = '180d';

/** The lowest rate that a job may have, and that a throttle leaves, in requests a second. */
export const lowestRate = 0.01;

/** The highest rate. A service that allows more sets no limit: a window of it would fill the memory. */
export const highestRate = 5_000;

/** The rate of a job that names none. The first throttle leaves as much where there was no rate. */
export const defaultRate = 10;

/** By this variable the workbench tells runs who answers for jobs that name no service. */
export const fallbackUrlVariable = 'DOSSIER_FALLBACK_URL';

/** By this variable the workbench tells a run that it has started it. */
export const startedByVariable = 'DOSSIER_STARTED_BY';
