export const defaultKeepRuns = 30;

/** Equal to the longest reuse time of answers. */
export const defaultStaleOnFailure = '180d';

/** Requests per second; also the minimum after throttling. */
export const lowestRate = 0.01;

/** Tracking a higher rate would fill the memory. */
export const highestRate = 5_000;

/** Also the rate after the first throttle, if the job had none. */
export const defaultRate = 10;

/** The service for jobs that name none. */
export const fallbackUrlVariable = 'DOSSIER_FALLBACK_URL';

export const startedByVariable = 'DOSSIER_STARTED_BY';
