import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import { readKey } from '../../job/read-address.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { scanFolder } from '../overview/folder.ts';
import { openRanJob } from '../overview/jobs.ts';

/** The job that a request is about: the path of its file, or of a list without one. */
export const OfJob = z.object({ job: z.string() });

/** `r7`, as every view calls a run, as its number. */
export const RunId = z
  .string()
  .regex(/^r\d{1,15}$/, 'a run is called r7')
  .transform((name) => Number(name.slice(1)));

/** A run of a job; the newest if none is named. */
export const OfRun = OfJob.extend({ run: RunId.optional() });

export const OfNamedRun = OfJob.extend({ run: RunId });

/** The one job of a page that only shows a run, with the flags of its command line. */
export interface ShownJob {
  /** As given on the command line: it may lie outside the folder. */
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

/** Opens a job file or list that the folder shows, so that the page reaches no other file of the machine. */
export function findJob(path: string): ResolvedJob {
  requireShown(path);
  return shown?.job ?? openRanJob(path, {});
}

/** Parses the query of a request about a job of the folder, and returns the path of that job. */
export function shownPath(query: unknown): string {
  const { job } = OfJob.parse(query);
  requireShown(job);
  return job;
}

export function requireShown(path: string): void {
  const { jobs, lists } = scanFolder(process.cwd());
  const paths = shown ? [shown.path] : [...jobs, ...lists];
  if (paths.includes(path)) return;
  throw new DossierError('RUN_MISSING', `${path} is not a job or list of this folder`);
}

/** Opens a job; undefined if its file is broken. */
export function tryToOpen(path: string): ResolvedJob | undefined {
  try {
    return openRanJob(path, {});
  } catch (error) {
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}

/** Whether sample data answers a job, and whether there is a key. The key itself never leaves the server. */
export function serviceOf({ service }: Pick<ResolvedJob, 'service'>) {
  const isSample = service.url === sampleData;
  return { isSample, hasKey: isSample || hasKey(service.key) };
}

function hasKey(source: ResolvedJob['service']['key']): boolean {
  try {
    return readKey(source, process.env) !== undefined;
  } catch {
    return false;
  }
}
