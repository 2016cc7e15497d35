import { existsSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import { isJobPath, jobForFile } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { loadJob } from '../../job/load-job.ts';
import { type ResolvedJob, resolveJob } from '../../job/resolve-job.ts';

/** Opens a job file or a bare list, with flags, environment and defaults applied. */
export function openJob(path: string, args: JobFlags): ResolvedJob {
  const { input, sheet, encoding, delimiter, headerRow, column, as } = args;
  const { output, ledger, url, keyFile, rate, concurrency, maxCalls, limit, format } = args;
  const flags: JobFlags = {
    ...{ input, sheet, encoding, delimiter, headerRow, column, as },
    ...{ output, ledger, url, keyFile, rate, concurrency, maxCalls, limit, format },
  };
  const { env } = process;
  const loaded = isJobPath(path) ? loadJob(path, { env }) : jobForFile(path, {});
  return resolveJob(loaded, { flags, env, cwd: process.cwd() });
}

/** Opens a job for a command that reads its list. A missing list is reported before a missing service. */
export function openJobToRead(path: string, args: Parameters<typeof openJob>[1]): ResolvedJob {
  try {
    return openJob(path, args);
  } catch (error) {
    // Only a job that cannot run is checked: a resumed run no longer needs its list.
    const isServiceMissing = error instanceof DossierError && error.code === 'SERVICE_MISSING';
    if (isServiceMissing && !isJobPath(path) && path !== '-' && !existsSync(path)) {
      throw new DossierError('INPUT_UNREADABLE', `${path} does not exist`, { cause: error });
    }
    throw error;
  }
}
