export const defaultKeepRuns = 30;

/** Equal to the longest reuse time of answers. */
export const defaultStaleOnFailure = '180d';

/** Requests per second; also the minimum after throttling. */
export const lowestRate = 0.01;

/** Requests per second. Tracking a higher rate would need too much memory. */
export const highestRate = 5_000;

/** Requests per second. Jobs without a rate may also get it after the first throttle. */
export const defaultRate = 10;

/** Variable with the service URL for jobs that name none. */
export const fallbackUrlVariable = 'DOSSIER_FALLBACK_URL';

export const startedByVariable = 'DOSSIER_STARTED_BY';
