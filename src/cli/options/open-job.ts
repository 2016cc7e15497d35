import { existsSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { isJobPath, jobForFile } from '../../job/job-for-file.ts';
import { loadJob } from '../../job/load-job.ts';
import { type ResolvedJob, resolveJob } from '../../job/resolve-job.ts';
import type { JobArguments } from './job-options.ts';

/** A job file, or a bare list of companies, with every question settled. */
export function openJob(
  path: string,
  args: Partial<JobArguments> & { keyFile?: string | undefined; maxCalls?: string | undefined },
): ResolvedJob {
  const { input, sheet, encoding, delimiter, output, ledger, url, keyFile } = args;
  const { rate, concurrency, maxCalls, limit, format } = args;
  const flags: JobFlags = {
    ...{ input, sheet, encoding, delimiter, output, ledger, url, keyFile },
    ...{ rate, concurrency, maxCalls, limit, format },
  };
  const { env } = process;
  const loaded = isJobPath(path) ? loadJob(path, { env }) : jobForFile(path, {});
  try {
    return resolveJob(loaded, { flags, env, cwd: process.cwd() });
  } catch (error) {
    // Whoever mistypes a name has no use for anything else. A list that a run has read may be gone.
    const isServiceMissing = error instanceof DossierError && error.code === 'SERVICE_MISSING';
    if (isServiceMissing && !isJobPath(path) && path !== '-' && !existsSync(path)) {
      throw new DossierError('INPUT_UNREADABLE', `${path} does not exist`, { cause: error });
    }
    throw error;
  }
}
