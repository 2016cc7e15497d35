import type { resolveJob } from './resolve-job.ts';

/** Paths are absolute, times are in milliseconds, names are ids. Contains no secrets. */
export type ResolvedJob = ReturnType<typeof resolveJob> & {
  /**
   * If true, only fixed rows are looked up. All other rows keep their last outcome, however old.
   */
  readonly keepsOutcomes?: boolean;
};
