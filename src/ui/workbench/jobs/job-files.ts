import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { DossierError } from '../../../core/errors.ts';
import { outputTrouble } from '../../../core/runtime/files/atomic-file.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { readCorrections, writeCorrections } from '../../../job/corrections.ts';
import { changeJobText, draftJob } from '../../../job/from-list/draft-job.ts';
import { isJobPath, jobName } from '../../../job/from-list/job-for-file.ts';
import { readText } from '../../../job/load-job.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { isWithin, scanFolder } from '../../overview/folder.ts';
import { firstFree, openRanJob } from '../../overview/jobs.ts';
import { writeDraft } from '../../overview/lists.ts';
import { tryToOpen } from '../find-job.ts';
import { inspectSampled, takeSample } from '../lists/look-at-list.ts';
import { isDeviceName, putAt, safeName } from '../lists/receive-list.ts';

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

async function draft(list: string): Promise<string> {
  const found = await inspectSampled(await takeSample(list));
  // The name that the list runs under without a job file, so that its runs stay its own.
  const name = freeName(openRanJob(list, {}).name);
  const path = `${name}.yaml`;
  const text = draftJob({
    ...found,
    name,
    inputPath: list,
    form: {},
    jobPath: path,
  });
  await writeDraft(path, text);
  return path;
}

/** The first of `leads`, `leads-2`, `leads-3` … that no job has. */
function freeName(name: string): string {
  const { jobs } = scanFolder(process.cwd());
  const taken = new Set(jobs.map((job) => tryToOpen(job)?.name));
  return firstFree(
    name,
    (candidate) =>
      !taken.has(candidate) &&
      // Fixes that another job left behind must not become those of this one.
      !['yaml', 'yml', 'fixed.jsonl'].some((end) => existsSync(`${candidate}.${end}`)),
  );
}

/**
 * Writes a job under another name. It is a job of its own, with its own runs and files. It shares the ledger with its
 * answers, and takes a copy of the corrections. No file is replaced.
 */
export async function saveJobAs(path: string, to: string) {
  const target = requireName(to);
  // A bare list gets a job file now.
  const file = await jobFileOf(path);
  const { list, corrections: from } = openRanJob(file, {});
  const text = changeJobText(readText(file), [
    { path: ['name'], value: jobName(target.replace(/\.ya?ml$/, '')) },
    // An address stays as it is written, with the variable that holds its secrets.
    ...(isAbsolute(list)
      ? [{ path: ['input', 'path'], value: relative(dirname(resolve(target)), list) }]
      : []),
  ]);
  const saved = { path: target, text: withCommands(text, file, target) };
  const fixed = readCorrections(from);
  await makeFolder(dirname(target));
  await writeDraft(target, saved.text);
  const { corrections } = openRanJob(target, {});
  if (fixed.length > 0 && corrections !== undefined && !existsSync(corrections)) {
    await writeCorrections(corrections, fixed);
  }
  return saved;
}

/** The comments of a draft name commands with its own file. */
function withCommands(text: string, from: string, to: string): string {
  return text.replace(
    /^(# {3}dossier (?:check|plan|run) )(.+)$/gm,
    (line, command: string, named: string) => (named === from ? `${command}${to}` : line),
  );
}

/**
 * Gives a list another name by renaming its job file and the file of its fixes. Its job keeps the name in the file, so
 * runs, answers and result folders stay.
 */
export async function renameList(path: string, to: string): Promise<string> {
  const file = await jobFileOf(path);
  const job = requireIdle(file);
  const name = `${to}${extname(file)}`;
  if (safeName(name) !== name) {
    const message = `a list cannot be called ${to}: choose a name without dots, slashes and quotes`;
    throw new DossierError('FILE_UNWRITABLE', message);
  }
  const target = join(dirname(file), name);
  await writeDraft(target, withCommands(readText(file), file, target));
  const fixes = tryToOpen(target)?.corrections;
  if (job?.corrections && fixes && fixes !== job.corrections) {
    if (existsSync(fixes)) {
      await rm(target);
      throw new DossierError('FILE_EXISTS', `${basename(fixes)} exists already`);
    }
    if (existsSync(job.corrections)) await move(job.corrections, fixes);
  }
  await rm(file);
  return target;
}

/** Moves a list, its job file and its fixes to the folder `removed`. Runs, answers and results stay. */
export async function removeList(path: string): Promise<{ readonly moved: string[] }> {
  const job = requireIdle(path);
  const { jobs, lists } = scanFolder(process.cwd());
  const isShared = jobs.some((other) => other !== path && tryToOpen(other)?.list === job?.list);
  const own = lists.filter((list) => !isShared && resolve(list) === job?.list);
  const files = [path, ...own, ...(job?.corrections ? [job.corrections] : [])];
  await makeFolder('removed');
  const moved: string[] = [];
  for (const file of new Set(files.map((one) => relative(process.cwd(), resolve(one))))) {
    if (existsSync(file)) moved.push(await move(file, join('removed', basename(file))));
  }
  return { moved };
}

/** Moves a file, to `leads-2.csv` if there is a `leads.csv` already. */
async function move(path: string, wanted: string): Promise<string> {
  const extension = extname(wanted);
  const stem = wanted.slice(0, wanted.length - extension.length);
  let target = wanted;
  for (let number = 2; !(await putAt(path, target)); number += 1) {
    target = `${stem}-${number}${extension}`;
  }
  await rm(path);
  return target;
}

/** Opens a job that is not running; undefined if its file is broken. */
function requireIdle(path: string): ResolvedJob | undefined {
  const job = tryToOpen(path);
  if (job && isJobLocked(job.ledger, job.name)) {
    throw new DossierError('JOB_BUSY', `${job.name} is running: stop the run first`);
  }
  return job;
}

/** A name, and no path: the file goes where the page looks for jobs. */
const fileName = /^(?:jobs\/)?[a-z0-9][a-z0-9-]{0,63}\.ya?ml$/;

function requireName(given: string): string {
  const name = isJobPath(given) ? given : `${given}.yaml`;
  if (fileName.test(name) && !isDeviceName(name)) return name;
  throw new DossierError(
    'FILE_UNWRITABLE',
    `a job cannot be called ${name}: choose a name of a-z, 0-9 and -, such as nightly.yaml or jobs/nightly.yaml`,
  );
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw outputTrouble(folder, error);
  });
  if (isWithin(process.cwd(), folder)) return;
  throw new DossierError(
    'FILE_UNWRITABLE',
    `${folder} is a link that leads out of this folder, and jobs there are not shown`,
  );
}
