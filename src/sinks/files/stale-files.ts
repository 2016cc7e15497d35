import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { outputTrouble, syncFolder } from '../../runtime/files/atomic-file.ts';
import type { Format, ManifestFile } from '../manifest.ts';
import type { Output } from '../sink.ts';
import { isIntact } from './unchanged-file.ts';

/** Removes what the last export has left in the folder, after the new files are in their places. */
export interface StaleFiles extends Output {
  /** The files that were removed. */
  removed(): readonly string[];
}

/** `last` are the files that the last export into this folder named. */
export function openStaleFiles(
  folder: string,
  last: readonly ManifestFile[],
  formats: readonly Format[],
): StaleFiles {
  let current: readonly ManifestFile[] = [];
  let removed: readonly string[] = [];
  return {
    async prepare({ files }) {
      current = files;
      return [];
    },
    async commit() {
      // The renames are on the disk before an old file is removed.
      await syncFolder(folder);
      removed = await removeStaleFiles(folder, last, { files: current, formats });
    },
    abort: async () => {},
    removed: () => removed,
  };
}

/**
 * Removes files that would pass for part of the new export though they are of the last one, such as
 * people.csv after the people searches were taken out of the job, or companies.csv beside a new
 * companies.csv.gz. A file of a format that was not asked for this time stays, and so does one that
 * was changed since the last export.
 */
export async function removeStaleFiles(
  folder: string,
  last: readonly ManifestFile[],
  current: { readonly files: readonly ManifestFile[]; readonly formats: readonly Format[] },
): Promise<string[]> {
  const names = new Set(current.files.map(({ name }) => name));
  const removed: string[] = [];
  for (const file of last) {
    if (names.has(file.name) || !current.formats.includes(file.format)) continue;
    const path = join(folder, file.name);
    if (!(await isIntact(folder, file))) continue;
    await rm(path, { force: true }).catch((error) => {
      throw outputTrouble(path, error);
    });
    removed.push(file.name);
  }
  return removed;
}
