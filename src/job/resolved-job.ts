import type { resolveJob } from './resolve-job.ts';

/** Absolute paths, milliseconds, ids. Holds no secret. */
export type ResolvedJob = ReturnType<typeof resolveJob> & {
  /** Rows keep their last outcome, however old. Only fixed rows are looked up. */
  readonly keepsOutcomes?: boolean;
};
