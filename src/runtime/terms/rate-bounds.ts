/** The lowest rate that a job may have, and that a throttle leaves, in requests a second. */
export const lowestRate = 0.01;

/** The highest rate. A service that allows more sets no limit: a window of it would fill the memory. */
export const highestRate = 5_000;

/** The rate of a job that names none. The first throttle leaves as much where there was no rate. */
export const defaultRate = 10;
