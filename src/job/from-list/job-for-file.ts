import { basename, dirname } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { isListAddress, shownPath } from '../../core/runtime/files/local-path.ts';
import { decoded } from '../../core/runtime/log/known-secrets.ts';
import { Job, type JobInput } from '../job-schema.ts';
import type { LoadedJob } from '../load-job.ts';

export function isJobPath(path: string): boolean {
  return !isListAddress(path) && /\.ya?ml$/i.test(path);
}

export function jobForFile(
  path: string,
  detected: Pick<JobInput, 'identify' | 'country'>,
): LoadedJob {
  const result = Job.safeParse({ ...detected, name: jobName(path), input: { path } });
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

const dataExtension =
  /(\.(csv|tsv|txt|jsonl|ndjson|json|xlsx|xlsm|parquet|parq|pq))?(\.(gz|zst))?$/i;

/** `Leads März (final).csv.gz → leads-marz-final`, `output/leads/rejects.csv → leads-rejects` */
export function jobName(given: string): string {
  const path = isListAddress(given) ? decoded(shownPath(given)) : given;
  const stem = path === '-' ? 'standard-input' : basename(path).replace(dataExtension, '');
  const folder = stem === 'rejects' || stem === 'workbook' ? `${basename(dirname(path))} ` : '';
  return (
    (folder + stem)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 64)
      .replace(/^-+|-+$/g, '') || 'list'
  );
}
