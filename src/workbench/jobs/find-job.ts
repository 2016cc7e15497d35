import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';

/** The one job of a page that only shows a run, with the flags of its command line. */
export interface ShownJob {
  /** As it stands on the command line: it may lie outside of the folder. */
  readonly path: string;
  readonly job: ResolvedJob;
}

let shown: ShownJob | undefined;

/** From here on the page of this process shows this job, and no other. */
export function showOnly(job: ShownJob | undefined): void {
  shown = job;
}

export function isReadOnly(): boolean {
  return shown !== undefined;
}

/**
 * Opens a job file or list of the folder by its path from there. A path that the folder does not show is
 * refused, so that the page reaches no other file of the machine.
 */
export function findJob(path: string): ResolvedJob {
  requireShown(path);
  return shown?.job ?? openRanJob(path, {});
}

export function requireShown(path: string): void {
  const { jobs, lists } = scanFolder(process.cwd());
  const paths = shown ? [shown.path] : [...jobs, ...lists];
  if (paths.includes(path)) return;
  throw new DossierError('RUN_MISSING', `${path} is not a job or list of this folder`);
}
