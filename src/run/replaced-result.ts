import type { ResolvedJob } from '../job/resolved-job.ts';
import { readManifest } from '../sinks/files/read-manifest.ts';
import { folderOfRun, placeOfResult } from './place-of-result.ts';

/** A result that a run is going to replace by one of fewer rows. */
export interface ReplacedResult {
  readonly folder: string;
  /** The run that wrote it; `dossier export --run` writes it again. */
  readonly run: string;
  /** The list that it was made of. */
  readonly input: string;
  readonly rows: number;
}

/**
 * Finds the result that is lost from its folder when a run over another list writes there: a list of
 * mended rows, say, that was meant to be added. The same list may shrink.
 */
export async function findReplaced(
  job: Pick<ResolvedJob, 'output'>,
  run: Parameters<typeof folderOfRun>[1],
  rows: number,
): Promise<ReplacedResult | undefined> {
  const folder = folderOfRun(job.output.path, run);
  const last = await readManifest(folder);
  if (!last || last.input.name === run.inputName || last.counts.rows <= rows) return undefined;
  return { folder, run: last.run.id, input: last.input.name, rows: last.counts.rows };
}

/** Finds the newer run of a job whose files stand where those of an older one are about to go. */
export async function findNewer(
  job: Pick<ResolvedJob, 'output'>,
  run: Parameters<typeof placeOfResult>[1],
): Promise<{ readonly run: string; readonly folder: string } | undefined> {
  const folder = await placeOfResult(job.output, run, { isComplete: run.finishedAt !== null });
  const last = await readManifest(folder);
  if (!last || last.job.name !== run.job) return undefined;
  const isNewer = Date.parse(last.run.startedAt) > run.startedAt;
  return isNewer ? { run: last.run.id, folder } : undefined;
}
