import { existsSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import { isJobPath, jobForFile } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
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
  return resolveJob(loaded, { flags, env, cwd: process.cwd() });
}

/** The same for commands that read the list: one that is not there is told before anything else. */
export function openJobToRead(path: string, args: Parameters<typeof openJob>[1]): ResolvedJob {
  try {
    return openJob(path, args);
  } catch (error) {
    // Only where it cannot run anyway: a list that a run has read may be gone when it goes on.
    const isServiceMissing = error instanceof DossierError && error.code === 'SERVICE_MISSING';
    if (isServiceMissing && !isJobPath(path) && path !== '-' && !existsSync(path)) {
      throw new DossierError('INPUT_UNREADABLE', `${path} does not exist`, { cause: error });
    }
    throw error;
  }
}
