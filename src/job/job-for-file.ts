import { basename } from 'node:path';
import { DossierError } from '../errors.ts';
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

const dataExtension = /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm))?(\.(gz|zst))?$/i;

/** `Leads März (final).csv.gz → leads-marz-final` */
export function jobName(path: string): string {
  const stem = path === '-' ? 'standard-input' : basename(path).replace(dataExtension, '');
  const name = stem
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return name || 'list';
}
