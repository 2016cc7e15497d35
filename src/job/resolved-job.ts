import type { resolveJob } from './resolve-job.ts';

/** Paths are absolute, times are in milliseconds. Contains no secrets. */
export type ResolvedJob = ReturnType<typeof resolveJob> & {
  /** Looks up only corrected rows; all other rows keep their last outcome, however old. */
  readonly keepsOutcomes?: boolean;
};
