import { foldersOf, placesOf } from '../../job/places/resolved-place.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { readManifest } from '../../sinks/files/read-manifest.ts';
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

type PlacedJob = Pick<ResolvedJob, 'output' | 'otherPlaces'>;

/**
 * Finds the first result that is lost from a folder when a run over another list writes there: a list of
 * mended rows, say, that was meant to be added. The same list may shrink.
 */
export async function findReplaced(
  job: PlacedJob,
  run: Parameters<typeof folderOfRun>[1],
  rows: number,
): Promise<ReplacedResult | undefined> {
  for (const path of foldersOf(job)) {
    const folder = folderOfRun(path, run);
    const last = await readManifest(folder);
    if (!last || last.input.name === run.inputName || last.counts.rows <= rows) continue;
    return { folder, run: last.run.id, input: last.input.name, rows: last.counts.rows };
  }
  return undefined;
}

/** Finds the newer run of a job whose files stand where those of an older one are about to go. */
export async function findNewer(
  job: PlacedJob,
  run: Parameters<typeof placeOfResult>[1],
): Promise<{ readonly run: string; readonly folder: string } | undefined> {
  for (const place of placesOf(job)) {
    if (place.kind !== 'folder') continue;
    const folder = await placeOfResult(place, run, { isComplete: run.finishedAt !== null });
    const last = await readManifest(folder);
    if (!last || last.job.name !== run.job) continue;
    const isNewer = Date.parse(last.run.startedAt) > run.startedAt;
    if (isNewer) return { run: last.run.id, folder };
  }
  return undefined;
}
