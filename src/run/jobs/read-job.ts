import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DossierError } from '../../core/errors.ts';
import { nearestWord } from '../../core/values/nearest-word.ts';
import { fallbackUrlVariable, pageUrlVariable } from '../../core/values/variables.ts';
import { openNamesToRead } from '../../engine/ledger/open-ledger.ts';
import { sampleData } from '../../engine/providers/providers.ts';
import { jobForFile } from '../../job/from-list/job-for-file.ts';
import { isJobPath, jobOfSheet } from '../../job/from-list/job-name.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { loadJob } from '../../job/load-job.ts';
import { resolveJob } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { bindServices } from '../../job/services/bind-services.ts';
import { isListAddress, notReadable, shownPath } from '../../platform/files/local-path.ts';
import type { Manifest } from '../../results/manifest.ts';
import { findLedger, type LedgerPlace, refuseOtherFile } from './find-ledger.ts';

/** A job with its ledger. */
export type OpenedJob = ResolvedJob & { readonly ledgerPlace: LedgerPlace };

export function readJob(path: string, flags: JobFlags, env = process.env): OpenedJob {
  const problem = notReadable(path) ?? (isJobElsewhere(path) ? jobElsewhere : undefined);
  if (problem !== undefined) throw new DossierError('USAGE', `${shownPath(path)}: ${problem}`);
  const loaded = isJobPath(path) ? loadJob(path, env) : jobForFile(path, {}, flags.sheet);
  const url = flags.url ?? (env[pageUrlVariable] || undefined);
  const job = resolveJob(loaded, {
    flags: url === undefined ? flags : { ...flags, url },
    env,
    cwd: process.cwd(),
  });
  const isSample = job.services.every((service) => service.isSample);
  return bound({ ...job, ...findLedger(job, isSample) });
}

/** With the limits that all jobs on its ledger share. */
export function bound<Job extends ResolvedJob>(job: Job): Job {
  using names = openNamesToRead(job.ledger);
  return bindServices(job, names?.paths() ?? [], process.env, process.cwd());
}

/** Undefined if nothing names the service. The page falls back to sample data, which says nothing. */
function isSampleOf(path: string, flags: JobFlags) {
  try {
    const env = { ...process.env, [fallbackUrlVariable]: '' };
    return readJob(path, flags, env).services.every(({ isSample }) => isSample);
  } catch {
    return undefined;
  }
}

/** A list gets the job name and output folder of its earlier runs or, without any, unused ones. */
export function readJobToRun(
  path: string,
  args: JobFlags & { readonly newLedger?: boolean; readonly adopt?: boolean },
): OpenedJob {
  const { ledgerCare, ...opened } = readJob(path, args);
  const mustExist = ledgerCare.mustExist && !args.newLedger;
  const job = { ...opened, ledgerCare: { ...ledgerCare, mustExist } };
  refuseOtherLedger(job);
  if (job.ledgerPlace === 'user') refuseOtherFile(job, args.adopt);
  return isJobPath(path) ? job : withNames(job, namesForList(job, process.cwd()), args);
}

/** `jobOrList` is a job file, a list or a job name. The URL is a placeholder: no call is made. */
export function readPastJob(jobOrList: string | undefined, args: JobFlags): OpenedJob {
  const path = jobOrList ?? 'all-jobs';
  const read = readJob(path, { ...args, url: sampleData });
  const job = { ...read, ...findLedger(read, isSampleOf(path, args)) };
  if (jobOrList === undefined || isJobPath(jobOrList)) return job;
  return withNames(job, namesOfPastList(job, jobOrList, process.cwd()), args);
}

function withNames(
  job: OpenedJob,
  { job: name, folder }: { readonly job: string; readonly folder: string },
  args: JobFlags,
) {
  const isNamed = args.output !== undefined && !job.output.isUnused;
  const path = isNamed ? job.output.path : resolve('output', folder);
  return { ...job, name, output: { ...job.output, path } };
}

const jobElsewhere = 'a job file decides what you pay for; download it and check it first';

function isJobElsewhere(path: string) {
  return isListAddress(path) && isJobPath(new URL(shownPath(path)).pathname);
}

/** The snapshot would miss answers that went into a different ledger. */
export function refuseOtherLedger({ name, ledger, ledgerCare: { otherSnapshot } }: ResolvedJob) {
  if (otherSnapshot === undefined) return;
  throw new DossierError(
    'USAGE',
    `--ledger names ${ledger}, but ${name} stores its ledger at ${otherSnapshot}; remove --ledger`,
  );
}

export function otherLedgerNotes({ ledgerCare: { otherSnapshot } }: ResolvedJob): string[] {
  if (otherSnapshot === undefined) return [];
  return [`--ledger names a different ledger; the one at ${otherSnapshot} is not used.`];
}

/** A folder's list is read from its manifest, because its run may be in a different ledger. */
export function namesForList({ name, list, ledger: path }: ResolvedJob, cwd: string) {
  using names = openNamesToRead(path);
  const isFree = (candidate: string) => {
    const known = names?.knows(candidate, list);
    return !known?.job || known.list;
  };
  const numbered = firstFree(name, isFree);
  const isOwn = numbered === name || names?.knows(numbered, list).list;
  // A list of another folder has the name: the folder says more than a number.
  const job = isOwn ? numbered : firstFree(jobOfSheet(name, basename(dirname(list))), isFree);
  const folder = firstFree(job, (candidate) => {
    const owner = listOfResult(resolve(cwd, 'output', candidate));
    return owner === undefined || owner === list;
  });
  return { job, folder };
}

/** `jobOrList` may also be the name of a job that has run. */
export function namesOfPastList(job: ResolvedJob, jobOrList: string, cwd: string) {
  const names = namesForList(job, cwd);
  using ledger = openNamesToRead(job.ledger);
  const hasRun = ledger?.knows(names.job, job.list).list;
  // The list `crm_export` became the job `crm-export`, so try that name too.
  const candidates = /[./\\]/.test(jobOrList) ? [jobOrList] : [jobOrList, job.name];
  const known = hasRun ? undefined : candidates.find((name) => ledger?.knows(name, job.list).job);
  return known === undefined ? names : { job: known, folder: known };
}

/** Job names have at most 64 characters. */
export function firstFree(name: string, isFree: (candidate: string) => boolean): string {
  let candidate = name;
  for (let number = 2; !isFree(candidate); number += 1) {
    const end = `-${number}`;
    candidate = `${name.slice(0, 64 - end.length)}${end}`;
  }
  return candidate;
}

function listOfResult(folder: string) {
  try {
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    return (JSON.parse(text) as Partial<Manifest>).listPath;
  } catch {
    return undefined;
  }
}

export function noRunOf(name: string, known: readonly string[], ledger: string): DossierError {
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new DossierError('RUN_MISSING', `${ledger} has no run of the job ${name}${hint}`);
}
