import { relative } from 'node:path';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { folderOfRun, heldFolderOf } from '../../run/places/result-places.ts';
import { readManifest } from '../../sinks/files/export-folder.ts';
import type { ManifestFile } from '../../sinks/manifest.ts';

export interface FoundFiles {
  readonly files: readonly ManifestFile[];
  /** Undefined where the files of the run were not found. */
  readonly folder?: string;
}

/** The files of a run, by the manifest in the folder of its job: the ledger does not know of files. */
export async function findFiles(run: Run, outputPath: string): Promise<FoundFiles> {
  for (const folder of [folderOfRun(outputPath, run), heldFolderOf(outputPath, run)]) {
    const manifest = await readManifest(folder);
    // Another job or another run may have written there since.
    const isOfRun =
      manifest?.run.id === runName(run) &&
      manifest.job.name === run.job &&
      Date.parse(manifest.run.startedAt) === run.startedAt;
    if (isOfRun) return { files: manifest.files, folder: relative(process.cwd(), folder) || '.' };
  }
  return { files: [] };
}
