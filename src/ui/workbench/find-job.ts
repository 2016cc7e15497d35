import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { scanFolder } from '../../facts/folder.ts';
import { isJobPath } from '../../job/from-list/job-name.ts';
import { hasKey } from '../../job/read-address.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readJob, readPastJob } from '../../run/jobs/read-job.ts';

const moved = new Map<string, string>();

/** After a list is renamed or gets a job file, other tabs still use its old path for up to 2 s. */
export function noteMove(from: string, to: string): void {
  moved.set(resolve(from), to);
  moved.delete(resolve(to));
}

function currentPath(path: string): string {
  const next = moved.get(resolve(path));
  // A different job may have the old name by now.
  if (next === undefined || (isJobPath(path) && existsSync(path))) return path;
  const current = currentPath(next);
  return existsSync(current) ? current : path;
}

/** Path of a job file, or of a list without one. */
export const OfJob = z.object({ job: z.string().transform(currentPath) });

/** `r7 → 7` */
export const RunId = z
  .string()
  .regex(/^r\d{1,15}$/, 'must be the name of a run, such as r7')
  .transform((name) => Number(name.slice(1)));

export const OfRun = OfJob.extend({ run: RunId.optional() });

export const OfNamedRun = OfJob.extend({ run: RunId });

/** The page may open only jobs and lists that it shows, and no other files. */
export function findJob(path: string): ResolvedJob {
  requireShown(path);
  return readPastJob(path, {});
}

export function jobPathIn(query: unknown): string {
  const { job } = OfJob.parse(query);
  requireShown(job);
  return job;
}

export function requireShown(path: string): void {
  const { jobs, lists } = scanFolder(process.cwd());
  if (jobs.includes(path) || lists.includes(path)) return;
  throw new DossierError('RUN_MISSING', `${path} is not a job or list in this folder`);
}

export function tryToOpen(path: string): ResolvedJob | undefined {
  try {
    return readPastJob(path, {});
  } catch (error) {
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}

/** A job whose service cannot be read may cost money. */
export function isSampleNow(path: string): boolean {
  try {
    return readJob(path, {}).services.every(({ isSample }) => isSample);
  } catch {
    return false;
  }
}

/** The key itself never leaves the server. */
export function accessOf({ services, servicesFile }: ResolvedJob) {
  const [{ isSample, key }] = services;
  const hosts = services.map(({ name, ...one }) => {
    const host = one.isSample ? 'sample data' : new URL(one.url).host;
    return servicesFile === undefined ? host : `${name} (${host})`;
  });
  return { isSample, host: isSample ? null : hosts.join(', '), hasKey: hasKey(key, process.env) };
}
