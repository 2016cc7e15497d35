import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';

/**
 * Opens a job file or list of the folder by its path from there. A path that the folder does not show is
 * refused, so that the page reaches no other file of the machine.
 */
export function findJob(path: string): ResolvedJob {
  requireShown(path);
  return openRanJob(path, {});
}

export function requireShown(path: string): void {
  const { jobs, lists } = scanFolder(process.cwd());
  if (jobs.includes(path) || lists.includes(path)) return;
  throw new DossierError('RUN_MISSING', `${path} is not a job or list of this folder`);
}
