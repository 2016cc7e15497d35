export const defaultKeepRuns = 30;

export const defaultStaleOnFailure = '180d';

/** Rates are in requests per second. */
export const lowestRate = 0.01;

/** Tracking a higher rate would need too much memory. */
export const highestRate = 5_000;

export const defaultRate = 10;

/** A run asks before it may spend more: money, or calls where a price is not set. */
export const confirmAbove = { calls: 100, money: 10 };
