import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { isListAddress, notReadable, shownPath } from '../../core/runtime/files/local-path.ts';
import { nearestWord } from '../../core/runtime/nearest-word.ts';
import { sampleData } from '../../core/runtime/sample-data.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { isJobPath, jobForFile } from '../../job/from-list/job-for-file.ts';
import type { JobFlags } from '../../job/job-flags.ts';
import { loadJob } from '../../job/load-job.ts';
import { resolveJob } from '../../job/resolve-job.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';

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
  const job = openJob(path, args);
  refuseOtherLedger(job);
  return isJobPath(path) ? job : named(job, nameList(job, process.cwd()), args);
}

/** Opens a job that has run, by its file, list or name; without one, the defaults of every job. It needs no service. */
export function openRanJob(given: string | undefined, args: JobFlags): ResolvedJob {
  const job = openJob(given ?? 'all-jobs', { ...args, url: sampleData });
  if (given === undefined || isJobPath(given)) return job;
  return named(job, nameRanList(job, given, process.cwd()), args);
}

function named(
  job: ResolvedJob,
  { job: name, folder }: ReturnType<typeof nameList>,
  args: JobFlags,
): ResolvedJob {
  const isNamed = args.output !== undefined && !job.output.isLeftOut;
  const path = isNamed ? job.output.path : resolve('output', folder);
  return { ...job, name, output: { ...job.output, path } };
}

const jobElsewhere = 'a job file decides what is paid for: download it first';

function isJobElsewhere(path: string): boolean {
  return isListAddress(path) && isJobPath(new URL(shownPath(path)).pathname);
}

/** Answers in another ledger than the one with a snapshot would be in no snapshot. */
export function refuseOtherLedger({ name, ledger, ledgerCare: { otherSnapshot } }: ResolvedJob) {
  if (otherSnapshot === undefined) return;
  throw new DossierError(
    'USAGE',
    `--ledger names ${ledger}, but ${name} stores its ledger at ${otherSnapshot}; remove --ledger`,
  );
}

export function otherLedgerNotes({ ledgerCare: { otherSnapshot } }: ResolvedJob): string[] {
  if (otherSnapshot === undefined) return [];
  return [`--ledger names another ledger than the one at ${otherSnapshot}, which does not change.`];
}

/**
 * Names the job of a bare list after its file: `leads`, and `leads-2` for another list of that name.
 * The manifest decides about the folder, because another ledger may have written it.
 */
export function nameList({ name, list, ledger: path }: ResolvedJob, cwd: string) {
  using ledger = openLedgerToRead(path);
  const job = firstFree(name, (candidate) => {
    const known = ledger?.runs.knows(candidate, list);
    return !known?.job || known.list;
  });
  const folder = firstFree(job, (candidate) => {
    const owner = listOfResult(resolve(cwd, 'output', candidate));
    return owner === undefined || owner === list;
  });
  return { job, folder };
}

/** Names a list that has run, or uses the name of a job as it is. */
export function nameRanList(job: ResolvedJob, given: string, cwd: string) {
  const names = nameList(job, cwd);
  using ledger = openLedgerToRead(job.ledger);
  const hasRun = ledger?.runs.knows(names.job, job.list).list;
  // `crm_export` is the job crm-export, by the name of its file.
  const candidates = /[./\\]/.test(given) ? [given] : [given, job.name];
  const known = hasRun
    ? undefined
    : candidates.find((name) => ledger?.runs.knows(name, job.list).job);
  return known === undefined ? names : { job: known, folder: known };
}

/** `leads`, or the first of `leads-2`, `leads-3` … that is free. Names of jobs have at most 64 characters. */
export function firstFree(name: string, isFree: (candidate: string) => boolean): string {
  let candidate = name;
  for (let number = 2; !isFree(candidate); number += 1) {
    const end = `-${number}`;
    candidate = `${name.slice(0, 64 - end.length)}${end}`;
  }
  return candidate;
}

const Owner = z.object({ listPath: z.string() });

/** The list whose result is in a folder; undefined without a result, or where no manifest names it. */
function listOfResult(folder: string): string | undefined {
  try {
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    return Owner.safeParse(JSON.parse(text)).data?.listPath;
  } catch {
    return undefined;
  }
}

export function noRunOf(name: string, known: readonly string[], ledger: string): DossierError {
  const nearest = nearestWord(name, known);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new DossierError('RUN_MISSING', `${ledger} has no run of a job ${name}${hint}`);
}
