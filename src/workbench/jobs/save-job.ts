import { mkdir } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import { changeJobText } from '../../job/file/change-job-text.ts';
import { isJobPath } from '../../job/from-list/job-for-file.ts';
import { jobName } from '../../job/from-list/job-name.ts';
import { readText } from '../../job/load-job.ts';
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
    {
      path: ['input', 'path'],
      value: list === '-' ? list : relative(dirname(resolve(target)), list),
    },
  ]);
  return { path: target, text: `${asComment(comment)}${text}` };
}

/**
 * Writes a job under another name, with a comment for those who will run it. It is a job of its own, with
 * its own runs and files; answers are shared, since the ledger is the same. No file is replaced.
 */
export async function saveJobAs(path: string, to: string, comment: string): Promise<JobFile> {
  const file = await jobUnderName(path, to, comment);
  await makeFolder(dirname(file.path));
  await writeDraft(file.path, file.text, { isForced: false });
  return file;
}

/** A name, and no path: the file goes where the page looks for jobs. */
const fileName = /^(?:jobs\/)?[a-z0-9][a-z0-9-]{0,63}\.ya?ml$/;

function requireName(given: string): string {
  const name = isJobPath(given) ? given : `${given}.yaml`;
  if (isDeviceName(name)) {
    const message = `${name} is no name for a job: Windows takes it for a device`;
    throw new DossierError('JOB_UNWRITABLE', message);
  }
  if (fileName.test(name)) return name;
  throw new DossierError(
    'JOB_UNWRITABLE',
    `${name} is no name for a job: a-z, 0-9 and -, such as nightly.yaml or jobs/nightly.yaml`,
  );
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw outputTrouble(folder, error);
  });
  if (isWithin(process.cwd(), folder)) return;
  throw new DossierError(
    'JOB_UNWRITABLE',
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
