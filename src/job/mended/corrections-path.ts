import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { isListAddress } from '../../runtime/files/local-path.ts';

const ending = '.fixed.jsonl';

/** Whether a file holds corrections, and is no list. */
export function isCorrectionsFile(path: string): boolean {
  return path.endsWith(ending);
}

/**
 * Where the corrections of a job are kept: beside its file, `jobs/nightly.fixed.jsonl`, or beside a bare
 * list, `leads.csv.fixed.jsonl`. Those of a bare list at an address are in the working directory, as
 * `leads.csv-3f2a9c1d.fixed.jsonl`: other addresses may end with the same name. A list from standard input has no
 * such place.
 */
export function correctionsPath(
  jobFile: string | undefined,
  list: string,
  cwd: string,
): string | undefined {
  if (jobFile !== undefined) return jobFile.replace(/\.ya?ml$/i, '') + ending;
  if (isListAddress(list)) return resolve(cwd, `${fileName(list)}${ending}`);
  return list === '-' ? undefined : list + ending;
}

function fileName(address: string): string {
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 8);
  return `${basename(address).replace(/[^\w.-]+/g, '_')}-${hash}`;
}
