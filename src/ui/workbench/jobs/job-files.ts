import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { DossierError } from '../../../core/errors.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { isWithin, scanFolder } from '../../../facts/folder.ts';
import { inspectSample, writeDraft } from '../../../facts/lists.ts';
import { readCorrections, writeCorrections } from '../../../job/corrections.ts';
import { readText } from '../../../job/file/read-yaml-file.ts';
import { changeJobText, draftJob } from '../../../job/from-list/draft-job.ts';
import { isJobPath, jobName, jobOfSheet } from '../../../job/from-list/job-name.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { servicesFor } from '../../../job/services/load-services.ts';
import { writeFileAtomically } from '../../../platform/files/atomic-file.ts';
import { makeOutputFolder } from '../../../results/destinations/folder/prepare-export.ts';
import { moveOwner } from '../../../run/jobs/find-ledger.ts';
import { firstFree, readPastJob } from '../../../run/jobs/read-job.ts';
import { noteMove, tryToOpen } from '../find-job.ts';
import { takeSample } from '../lists/look-at-list.ts';
import { nameIn, putAt, safeName, splitName } from '../lists/receive-list.ts';

/** Writes a draft, as `dossier init` does, if no job file reads the list. */
export async function jobFileOf(path: string): Promise<string> {
  if (isJobPath(path)) return path;
  const { jobs } = scanFolder(process.cwd());
  return jobs.find((job) => tryToOpen(job)?.list === resolve(path)) ?? (await draft(path));
}

/**
 * Another sheet of a list that has run is a list of its own, so the result of the first one stays.
 * It gets its own job, or the one that reads the sheet already.
 */
export async function jobFileOfSheet(file: string, sheet: string): Promise<string> {
  const job = readPastJob(file, {});
  using ledger = openLedgerToRead(job.ledger);
  const isFirst = ledger?.runs.newest(job.name) === undefined;
  const isSame = (job.input.options.sheet ?? '') === sheet;
  if (isFirst || isSame) return file;
  const { jobs } = scanFolder(process.cwd());
  const known = jobs.find((path) => {
    const other = tryToOpen(path);
    return other?.list === job.list && other.input.options.sheet === sheet;
  });
  if (known !== undefined) return known;
  const name = freeName(jobOfSheet(job.name, sheet));
  const target = join(dirname(file), `${name}.yaml`);
  await writeDraft(target, changeJobText(readText(file), [{ path: ['name'], value: name }]));
  return target;
}

async function draft(list: string) {
  const job = readPastJob(list, {});
  const found = inspectSample(await takeSample(list), undefined, existsSync(job.register));
  // The list may have run under this name and must keep its runs.
  const name = freeName(job.name);
  // The page calls a list by this file, so lists of other folders must not change its name.
  const path = `${freeName(jobName(list))}.yaml`;
  const services = servicesFor('.', process.env);
  await writeDraft(path, draftJob({ ...found, name, inputPath: list, form: {}, services }));
  noteMove(list, path);
  return path;
}

/** `leads`, `leads-2`, `leads-3` … */
function freeName(name: string) {
  const { jobs } = scanFolder(process.cwd());
  const taken = new Set(jobs.map((job) => tryToOpen(job)?.name));
  return firstFree(
    name,
    (candidate) =>
      !taken.has(candidate) &&
      // Corrections of a removed job must not apply to the new job.
      !['yaml', 'yml', 'fixed.jsonl'].some((end) => existsSync(`${candidate}.${end}`)),
  );
}

/** The new job has its own runs. It shares the ledger and gets a copy of the corrections. */
export async function saveJobAs(path: string, to: string) {
  const target = requireName(to);
  const file = await jobFileOf(path);
  const { list, corrections: from } = readPastJob(file, {});
  const text = changeJobText(readText(file), [
    { path: ['name'], value: jobName(target.replace(/\.ya?ml$/, '')) },
    // A URL stays as written, because it may name a variable with secrets.
    ...(isAbsolute(list)
      ? [{ path: ['input', 'path'], value: relative(dirname(resolve(target)), list) }]
      : []),
  ]);
  const fixed = readCorrections(from);
  makeFolder(dirname(target));
  await writeDraft(target, text);
  const { corrections } = readPastJob(target, {});
  if (fixed.length > 0 && corrections !== undefined && !existsSync(corrections)) {
    await writeCorrections(corrections, fixed);
  }
  return { path: target };
}

/** The job keeps its name, so runs, answers and results stay. */
export async function renameList(path: string, to: string): Promise<string> {
  const file = await jobFileOf(path);
  const job = requireIdle(file);
  const name = `${to}${extname(file)}`;
  if (safeName(name) !== name) {
    const message = `a list cannot be called ${to}: remove dots, slashes, quotes and < > : | ? *`;
    throw new DossierError('FILE_MISNAMED', message);
  }
  const target = join(dirname(file), name);
  await writeDraft(target, readText(file));
  const fixes = tryToOpen(target)?.corrections;
  if (job?.corrections && fixes && fixes !== job.corrections) {
    if (existsSync(job.corrections) && !(await putAt(job.corrections, fixes))) {
      await rm(target);
      throw new DossierError('FILE_EXISTS', `${basename(fixes)} already exists`);
    }
    await rm(job.corrections, { force: true });
  }
  if (job) moveOwner(job, file, target);
  await rm(file);
  noteMove(file, target);
  return target;
}

/** The job keeps its name, so corrections and history stay. The old file moves to `removed`. */
export async function replaceList(
  path: string,
  { path: from, name }: { path: string; name: string; header: readonly string[] },
): Promise<string> {
  const file = await jobFileOf(path);
  const job = requireIdle(file);
  const list = job && relative(process.cwd(), job.list);
  if (list === undefined || !scanFolder(process.cwd()).lists.includes(list)) {
    throw new DossierError('RUN_MISSING', `the list of ${file} is not in this folder`);
  }
  makeFolder('removed');
  await nameIn('removed', basename(list), list);
  const { extension } = splitName(name);
  if (splitName(list).extension.toLowerCase() === extension.toLowerCase()) {
    await rename(from, list);
    return file;
  }
  // Another format needs another name, which only the job knows.
  const next = await nameIn(process.cwd(), name, from);
  const value = relative(dirname(resolve(file)), resolve(next));
  await writeFileAtomically(
    file,
    changeJobText(readText(file), [{ path: ['input', 'path'], value }]),
  );
  await rm(list);
  return file;
}

/** Moves files to `removed`; runs, answers and results stay. */
export async function removeList(path: string) {
  const job = requireIdle(path);
  const { jobs, lists } = scanFolder(process.cwd());
  const isShared = jobs.some((other) => other !== path && tryToOpen(other)?.list === job?.list);
  const own = lists.filter((list) => !isShared && resolve(list) === job?.list);
  const files = [path, ...own, ...(job?.corrections ? [job.corrections] : [])];
  makeFolder('removed');
  const moved: string[] = [];
  for (const file of new Set(files.map((one) => relative(process.cwd(), resolve(one))))) {
    if (!existsSync(file)) continue;
    moved.push(join('removed', await nameIn('removed', basename(file), file)));
    await rm(file);
  }
  return { moved };
}

function requireIdle(path: string): ResolvedJob | undefined {
  const job = tryToOpen(path);
  if (job && isJobLocked(job.ledger, job.name)) {
    throw new DossierError('JOB_BUSY', `${job.name} is running: stop the run first`);
  }
  return job;
}

/** The page shows only jobs in this folder and in `jobs`. */
const fileName = /^(?:jobs\/)?[a-z0-9][a-z0-9-]{0,63}\.ya?ml$/;

function requireName(wanted: string) {
  const name = isJobPath(wanted) ? wanted : `${wanted}.yaml`;
  if (fileName.test(name)) return name;
  throw new DossierError(
    'FILE_MISNAMED',
    `a job file cannot be called ${name}: use only a-z, 0-9 and hyphens before .yaml, as in jobs/nightly.yaml`,
  );
}

function makeFolder(folder: string) {
  makeOutputFolder(folder);
  if (isWithin(process.cwd(), folder)) return;
  throw new DossierError(
    'FILE_UNWRITABLE',
    `${folder} is a link that leads out of the folder that the page may write to`,
  );
}
