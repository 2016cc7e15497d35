const ending = '.mended.jsonl';

/** Whether a file holds corrections, and is no list. */
export function isCorrectionsFile(path: string): boolean {
  return path.endsWith(ending);
}

/**
 * Where the corrections of a job are kept: beside its file, `jobs/nightly.mended.jsonl`, or beside a bare
 * list, `leads.csv.mended.jsonl`. A list from standard input has no such place.
 */
export function correctionsPath(jobFile: string | undefined, list: string): string | undefined {
  if (jobFile !== undefined) return jobFile.replace(/\.ya?ml$/i, '') + ending;
  return list === '-' ? undefined : list + ending;
}
