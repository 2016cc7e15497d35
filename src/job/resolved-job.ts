import type { resolveJob } from './resolve-job.ts';

/** Absolute paths, milliseconds, ids. Holds no secret. */
export type ResolvedJob = ReturnType<typeof resolveJob> & {
  /** Only fixed rows are looked up; the others keep their last outcome, however old. */
  readonly keepsOutcomes?: boolean;
};
