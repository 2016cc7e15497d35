import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { shellWord } from './shell-word.ts';

/** Stands for the job of a command in texts that are written where nobody knows how it was given. */
const placeholder = '<job>';

let given: string | undefined;

/** From here on texts name this job, as it stands on the command line. */
export function rememberJob(job: string | undefined): void {
  given = job === '-' ? undefined : job;
}

/** ``dossier mend <job> --list → dossier mend nightly.yaml --list``; left as it is where no job was given. */
export function nameJob(text: string): string {
  return given === undefined ? text : text.replaceAll(placeholder, shellWord(given));
}

/** The same with an absolute path, for those who read it in another folder. */
export function nameJobFromAnywhere(text: string): string {
  return given === undefined ? text : text.replaceAll(placeholder, shellWord(fromAnywhere(given)));
}

/** An absolute path; the name of a job stays as it is. */
export function fromAnywhere(job: string): string {
  return existsSync(job) ? resolve(job) : job;
}
