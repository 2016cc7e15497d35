import { DossierError } from '../errors.ts';
import { jobName } from './job-name.ts';
import { Job, type JobInput } from './job-schema.ts';
import type { LoadedJob } from './load-job.ts';

/** What looking at a data file told about its columns. */
export type DetectedColumns = Pick<JobInput, 'identify' | 'country'>;

/** Whether a path names a job file; anything else is data. */
export function isJobPath(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

/** The job that a bare data file is: its own name, the columns that were found, and defaults. */
export function jobForFile(path: string, detected: DetectedColumns): LoadedJob {
  const result = Job.safeParse({ ...detected, name: jobName(path), input: { path } });
  if (!result.success) {
    const reasons = result.error.issues.map(
      (issue) => `${issue.path.join('.')}: expected ${issue.message}`,
    );
    throw new DossierError('JOB_INVALID', `no job can be made of ${path}: ${reasons.join('; ')}`);
  }
  return { job: result.data, path: undefined, placeOf: () => undefined };
}
