import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultCountry } from '../../contract/countries.ts';
import { DossierError } from '../../errors.ts';
import { draftJob } from '../../job/from-list/draft-job.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';
import { writeDraft } from '../../overview/lists/write-draft.ts';
import { inspectSampled } from './look-at-list.ts';
import { takeSample } from './take-sample.ts';

/**
 * The job file of a list: the one that reads it, or else a draft that is written beside it, as by
 * `dossier init`. A job file is its own.
 */
export async function jobFileOf(path: string): Promise<string> {
  if (isJobPath(path)) return path;
  return findReader(path) ?? (await draft(path));
}

function findReader(list: string): string | undefined {
  return scanFolder(process.cwd()).jobs.find((job) => tryToOpen(job)?.list === resolve(list));
}

/** Undefined where the job file is broken. */
function tryToOpen(job: string): ResolvedJob | undefined {
  try {
    return openRanJob(job, {});
  } catch (error) {
    if (error instanceof DossierError) return undefined;
    throw error;
  }
}

async function draft(list: string): Promise<string> {
  const found = await inspectSampled(await takeSample(list));
  // The name that the list runs under without a job file, so that its runs stay its own.
  const name = freeName(openRanJob(list, {}).name);
  const path = `${name}.yaml`;
  const text = draftJob({
    ...found,
    ...{ name, inputPath: list, form: {}, jobPath: path, country: defaultCountry },
    hasPeople: false,
  });
  await writeDraft(path, text, { isForced: false });
  return path;
}

/** The first of `leads`, `leads-2`, `leads-3` … that no job has. */
function freeName(name: string): string {
  const { jobs } = scanFolder(process.cwd());
  const taken = new Set(jobs.map((job) => tryToOpen(job)?.name));
  const isTaken = (candidate: string) =>
    taken.has(candidate) ||
    ['yaml', 'yml'].some((extension) => existsSync(`${candidate}.${extension}`));
  let candidate = name;
  for (let number = 2; isTaken(candidate); number += 1) {
    const end = `-${number}`;
    candidate = `${name.slice(0, 64 - end.length)}${end}`;
  }
  return candidate;
}
