import type { resolveJob } from './resolve-job.ts';

/** A job that is ready to run: absolute paths, milliseconds, ids. It holds no secret. */
export type ResolvedJob = ReturnType<typeof resolveJob> & {
  /** Rows of the last run keep their outcomes, however old: only those that are fixed are asked for. */
  readonly keepsOutcomes?: boolean;
};
