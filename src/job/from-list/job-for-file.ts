import { DossierError } from '../../core/errors.ts';
import { shownPath } from '../../platform/files/local-path.ts';
import { Job, type JobInput } from '../job-schema.ts';
import type { LoadedJob } from '../load-job.ts';
import { jobName, jobOfSheet } from './job-name.ts';

export function jobForFile(
  path: string,
  detected: Pick<JobInput, 'identify' | 'country'>,
  sheet?: string,
): LoadedJob {
  const name = sheet === undefined ? jobName(path) : jobOfSheet(jobName(path), sheet);
  const result = Job.safeParse({ ...detected, name, input: { path } });
  if (!result.success) {
    const reasons = result.error.issues.map(
      (issue) => `${issue.path.join('.')}: expected ${issue.message}`,
    );
    throw new DossierError(
      'JOB_INVALID',
      `cannot create a job from ${shownPath(path)}: ${reasons.join('; ')}`,
    );
  }
  return { job: result.data, path: undefined, positionOf: () => undefined };
}
