import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import { changeJobText } from '../../job/file/change-job-text.ts';
import { isJobPath, jobName } from '../../job/from-list/job-for-file.ts';
import { readText } from '../../job/load-job.ts';
import { readCorrections, writeCorrections } from '../../job/mended/correction.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { isWithin } from '../../overview/jobs/scan-folder.ts';
import { writeDraft } from '../../overview/lists/write-draft.ts';
import { outputTrouble } from '../../runtime/files/atomic-file.ts';
import type { JobFile } from '../api/history.ts';
import { jobFileOf } from '../lists/draft-beside.ts';
import { isDeviceName } from '../lists/safe-name.ts';

/** What the file of a job says; a bare list gets one now. */
export async function jobFile(path: string): Promise<JobFile> {
  const file = await jobFileOf(path);
  return { path: file, text: readText(file) };
}

/** What `saveJobAs` would write, for the user to read first. */
export async function jobUnderName(path: string, to: string, comment: string): Promise<JobFile> {
  const target = requireName(to);
  const file = await jobFile(path);
  const { list } = openRanJob(file.path, {});
  const text = changeJobText(file.text, [
    { path: ['name'], value: jobName(target.replace(/\.ya?ml$/, '')) },
    // An address stays as it is written, with the variable that holds its secrets.
    ...(isAbsolute(list)
      ? [{ path: ['input', 'path'], value: relative(dirname(resolve(target)), list) }]
      : []),
  ]);
  const named = text.replace(draftedCommand, (line, command: string, named: string) =>
    named === file.path ? `${command}${target}` : line,
  );
  return { path: target, text: `${asComment(comment)}${named}` };
}

/** A command in the comments of a draft, which names its own file. */
const draftedCommand = /^(# {3}dossier (?:check|plan|run) )(.+)$/gm;

/**
 * Writes a job under another name, with a comment for those who will run it. It is a job of its own, with
 * its own runs and files; answers are shared, since the ledger is the same, and what is mended goes with it.
 * No file is replaced.
 */
export async function saveJobAs(path: string, to: string, comment: string): Promise<JobFile> {
  const file = await jobUnderName(path, to, comment);
  const mended = readCorrections(openRanJob(await jobFileOf(path), {}).corrections);
  await makeFolder(dirname(file.path));
  await writeDraft(file.path, file.text, { isForced: false });
  const { corrections } = openRanJob(file.path, {});
  if (mended.length > 0 && corrections !== undefined && !existsSync(corrections)) {
    await writeCorrections(corrections, mended);
  }
  return file;
}

/** A name, and no path: the file goes where the page looks for jobs. */
const fileName = /^(?:jobs\/)?[a-z0-9][a-z0-9-]{0,63}\.ya?ml$/;

function requireName(given: string): string {
  const name = isJobPath(given) ? given : `${given}.yaml`;
  if (isDeviceName(name)) {
    const message = `${name} is no name for a job: Windows takes it for a device`;
    throw new DossierError('FILE_UNWRITABLE', message);
  }
  if (fileName.test(name)) return name;
  throw new DossierError(
    'FILE_UNWRITABLE',
    `${name} is no name for a job: a-z, 0-9 and -, such as nightly.yaml or jobs/nightly.yaml`,
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

function asComment(text: string): string {
  const lines = text
    .trim()
    .split(/\r?\n/)
    .map((line) => `# ${line}`.trimEnd());
  return text.trim() === '' ? '' : `${lines.join('\n')}\n\n`;
}
