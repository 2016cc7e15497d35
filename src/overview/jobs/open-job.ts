import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import { isJobPath, jobForFile } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { loadJob } from '../../job/load-job.ts';
import { resolveJob } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isListAddress, notReadable, shownPath } from '../../runtime/files/local-path.ts';
import { sampleData } from '../../runtime/sample-data.ts';
import { refuseOtherLedger } from './kept-ledger.ts';
import { type ListNames, nameList, nameRanList } from './name-list.ts';

/** Opens a job file; for any other path, a job with all the defaults over that list. */
export function openJob(path: string, flags: JobFlags): ResolvedJob {
  const trouble = notReadable(path) ?? (isJobElsewhere(path) ? jobElsewhere : undefined);
  if (trouble !== undefined) throw new DossierError('USAGE', `${shownPath(path)}: ${trouble}`);
  const { env } = process;
  const loaded = isJobPath(path) ? loadJob(path, env) : jobForFile(path, {});
  return resolveJob(loaded, { flags, env, cwd: process.cwd() });
}

/** Opens the job file or bare list that `run`, `plan` and `check` take. */
export function openJobToRead(path: string, args: JobFlags): ResolvedJob {
  try {
    const job = openJob(path, args);
    refuseOtherLedger(job);
    return isJobPath(path) ? job : named(job, nameList(job, process.cwd()), args);
  } catch (error) {
    // Only a job that cannot run is checked: a resumed run no longer needs its list.
    const isServiceMissing = error instanceof DossierError && error.code === 'SERVICE_MISSING';
    const isFile = !isJobPath(path) && !isListAddress(path) && path !== '-';
    if (isServiceMissing && isFile && !existsSync(path)) {
      throw new DossierError('INPUT_UNREADABLE', `${path} does not exist`, { cause: error });
    }
    throw error;
  }
}

/** Opens a job that has run: by its file, its list or its name. It calls no service. */
export function openRanJob(given: string, args: JobFlags): ResolvedJob {
  const job = openJob(given, { ...args, url: sampleData });
  return isJobPath(given) ? job : named(job, nameRanList(job, given, process.cwd()), args);
}

function named(job: ResolvedJob, { job: name, folder }: ListNames, args: JobFlags): ResolvedJob {
  const isNamed = args.output !== undefined && !job.output.isLeftOut;
  const path = isNamed ? job.output.path : resolve('output', folder);
  return { ...job, name, output: { ...job.output, path } };
}

const jobElsewhere =
  'a job file is read from this machine only, as it decides what is paid for: download it first';

function isJobElsewhere(path: string): boolean {
  return isListAddress(path) && isJobPath(new URL(shownPath(path)).pathname);
}
