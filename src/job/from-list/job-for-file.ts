import { DossierError } from '../../errors.ts';
import { isListAddress, shownPath } from '../../runtime/files/local-path.ts';
import { Job, type JobInput } from '../job-schema.ts';
import type { LoadedJob } from '../load-job.ts';
import { jobName } from './job-name.ts';

/** The columns of a list, in the words of a job. */
export type JobColumns = Pick<JobInput, 'identify' | 'country'>;

/** A path that names no job file names a list. */
export function isJobPath(path: string): boolean {
  return !isListAddress(path) && /\.ya?ml$/i.test(path);
}

/** Makes a job for a list without a job file: the name of the file, its columns, and defaults. */
export function jobForFile(path: string, detected: JobColumns): LoadedJob {
  const result = Job.safeParse({ ...detected, name: jobName(path), input: { path } });
  if (!result.success) {
    const reasons = result.error.issues.map(
      (issue) => `${issue.path.join('.')}: expected ${issue.message}`,
    );
    throw new DossierError(
      'JOB_INVALID',
      `no job can be made of ${shownPath(path)}: ${reasons.join('; ')}`,
    );
  }
  return { job: result.data, path: undefined, placeOf: () => undefined };
}
